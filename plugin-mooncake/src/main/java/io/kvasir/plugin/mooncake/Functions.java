package io.kvasir.plugin.mooncake;

/** What JNA binds to the library's symbols, one class per library and process. */
final class Functions {
  private Functions() {}

  /** {@return the symbol of a method: {@code batchPutFrom} is {@code …_batch_put_from}} */
  static String symbol(String method) {
    StringBuilder symbol = new StringBuilder("mooncake_store_");
    for (int i = 0; i < method.length(); i++) {
      char c = method.charAt(i);
      if (Character.isUpperCase(c)) {
        symbol.append('_').append(Character.toLowerCase(c));
      } else {
        symbol.append(c);
      }
    }
    return symbol.toString();
  }

  static native long create();

  static native void destroy(long handle);

  static native int setup(
      long handle,
      long localHostname,
      long metadataServer,
      long globalSegmentSize,
      long localBufferSize,
      long protocol,
      long deviceName,
      long masterServerAddress);

  static native int initAll(long handle, long protocol, long deviceName, long mountSegmentSize);

  static native int healthCheck(long handle);

  static native int put(long handle, long key, long buffer, long size, long configuration);

  static native int putFrom(long handle, long key, long buffer, long size, long configuration);

  static native int batchPutFrom(
      long handle,
      long keys,
      long buffers,
      long sizes,
      long count,
      long configuration,
      long results);

  static native long getInto(long handle, long key, long buffer, long size);

  static native int batchGetInto(
      long handle, long keys, long buffers, long sizes, long count, long results);

  static native int isExist(long handle, long key);

  static native int batchIsExist(long handle, long keys, long count, long results);

  static native long getSize(long handle, long key);

  static native int getHostname(long handle, long out, long length);

  static native int remove(long handle, long key, int force);

  static native long removeByRegex(long handle, long pattern, int force);

  static native long removeAll(long handle, int force);

  static native int registerBuffer(long handle, long buffer, long size);

  static native int unregisterBuffer(long handle, long buffer);
}

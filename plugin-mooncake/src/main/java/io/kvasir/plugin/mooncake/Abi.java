package io.kvasir.plugin.mooncake;

/**
 * The 19 functions of Mooncake's {@code store_c.h} (2026-08-22), each under its name without {@code
 * mooncake_store_}. Pointers, {@code size_t} and {@code int64_t} are {@code long}: nothing is
 * converted and nothing allocated on the way.
 *
 * <p>Nothing is checked here either. A batch call before {@code setup}, a second {@code destroy}, a
 * {@code destroy} beside a running call and a metadata string that the library does not know end
 * the process: {@link Session} keeps them away.
 */
interface Abi {
  long create();

  void destroy(long handle);

  int setup(
      long handle,
      long localHostname,
      long metadataServer,
      long globalSegmentSize,
      long localBufferSize,
      long protocol,
      long deviceName,
      long masterServerAddress);

  int initAll(long handle, long protocol, long deviceName, long mountSegmentSize);

  int healthCheck(long handle);

  int put(long handle, long key, long buffer, long size, long configuration);

  int putFrom(long handle, long key, long buffer, long size, long configuration);

  int batchPutFrom(
      long handle,
      long keys,
      long buffers,
      long sizes,
      long count,
      long configuration,
      long results);

  long getInto(long handle, long key, long buffer, long size);

  int batchGetInto(long handle, long keys, long buffers, long sizes, long count, long results);

  int isExist(long handle, long key);

  int batchIsExist(long handle, long keys, long count, long results);

  long getSize(long handle, long key);

  int getHostname(long handle, long out, long length);

  int remove(long handle, long key, int force);

  long removeByRegex(long handle, long pattern, int force);

  long removeAll(long handle, int force);

  int registerBuffer(long handle, long buffer, long size);

  int unregisterBuffer(long handle, long buffer);
}

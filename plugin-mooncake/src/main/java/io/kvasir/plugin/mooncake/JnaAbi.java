package io.kvasir.plugin.mooncake;

/** The library, by JNA's direct mapping. Made by {@link StoreLibrary}. */
final class JnaAbi implements Abi {
  @Override
  public long create() {
    return Functions.create();
  }

  @Override
  public void destroy(long handle) {
    Functions.destroy(handle);
  }

  @Override
  public int setup(
      long handle,
      long localHostname,
      long metadataServer,
      long globalSegmentSize,
      long localBufferSize,
      long protocol,
      long deviceName,
      long masterServerAddress) {
    return Functions.setup(
        handle,
        localHostname,
        metadataServer,
        globalSegmentSize,
        localBufferSize,
        protocol,
        deviceName,
        masterServerAddress);
  }

  @Override
  public int initAll(long handle, long protocol, long deviceName, long mountSegmentSize) {
    return Functions.initAll(handle, protocol, deviceName, mountSegmentSize);
  }

  @Override
  public int healthCheck(long handle) {
    return Functions.healthCheck(handle);
  }

  @Override
  public int put(long handle, long key, long buffer, long size, long configuration) {
    return Functions.put(handle, key, buffer, size, configuration);
  }

  @Override
  public int putFrom(long handle, long key, long buffer, long size, long configuration) {
    return Functions.putFrom(handle, key, buffer, size, configuration);
  }

  @Override
  public int batchPutFrom(
      long handle,
      long keys,
      long buffers,
      long sizes,
      long count,
      long configuration,
      long results) {
    return Functions.batchPutFrom(handle, keys, buffers, sizes, count, configuration, results);
  }

  @Override
  public long getInto(long handle, long key, long buffer, long size) {
    return Functions.getInto(handle, key, buffer, size);
  }

  @Override
  public int batchGetInto(
      long handle, long keys, long buffers, long sizes, long count, long results) {
    return Functions.batchGetInto(handle, keys, buffers, sizes, count, results);
  }

  @Override
  public int isExist(long handle, long key) {
    return Functions.isExist(handle, key);
  }

  @Override
  public int batchIsExist(long handle, long keys, long count, long results) {
    return Functions.batchIsExist(handle, keys, count, results);
  }

  @Override
  public long getSize(long handle, long key) {
    return Functions.getSize(handle, key);
  }

  @Override
  public int getHostname(long handle, long out, long length) {
    return Functions.getHostname(handle, out, length);
  }

  @Override
  public int remove(long handle, long key, int force) {
    return Functions.remove(handle, key, force);
  }

  @Override
  public long removeByRegex(long handle, long pattern, int force) {
    return Functions.removeByRegex(handle, pattern, force);
  }

  @Override
  public long removeAll(long handle, int force) {
    return Functions.removeAll(handle, force);
  }

  @Override
  public int registerBuffer(long handle, long buffer, long size) {
    return Functions.registerBuffer(handle, buffer, size);
  }

  @Override
  public int unregisterBuffer(long handle, long buffer) {
    return Functions.unregisterBuffer(handle, buffer);
  }
}

package io.kvasir.plugin.local;

import java.io.IOException;

/**
 * The bytes of a store: what its files take, what they may take, and what the file system must keep
 * free.
 */
final class Budget implements Space {
  private final Directory directory;
  private final long capacity;
  private final long keepFree;
  private long taken;

  Budget(Directory directory, long capacity, long keepFree) {
    this.directory = directory;
    this.capacity = capacity;
    this.keepFree = keepFree;
  }

  @Override
  public synchronized boolean reserve(long bytes) {
    if (taken + bytes > capacity || !leavesEnough(bytes)) {
      return false;
    }
    taken += bytes;
    return true;
  }

  /** For these few the file system may get fuller than it should. */
  @Override
  public synchronized boolean reserveLittle(long bytes) {
    if (taken + bytes > capacity) {
      return false;
    }
    taken += bytes;
    return true;
  }

  private boolean leavesEnough(long bytes) {
    try {
      return directory.free() - bytes >= keepFree;
    } catch (IOException e) {
      return false;
    }
  }

  /** Counts what is there already. */
  synchronized void count(long bytes) {
    taken += bytes;
  }

  @Override
  public synchronized void release(long bytes) {
    taken -= bytes;
  }

  synchronized long taken() {
    return taken;
  }

  long capacity() {
    return capacity;
  }
}

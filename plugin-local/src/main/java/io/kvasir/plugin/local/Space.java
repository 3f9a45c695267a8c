package io.kvasir.plugin.local;

/** The bytes that the files of a store may still take. Thread-safe. */
interface Space {

  /** Takes that many bytes; false, and nothing taken, if there are not as many. */
  boolean reserve(long bytes);

  void release(long bytes);
}

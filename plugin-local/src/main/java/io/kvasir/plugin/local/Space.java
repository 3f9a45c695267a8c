package io.kvasir.plugin.local;

/** The bytes that the files of a store may still take. Thread-safe. */
interface Space {

  /** Takes that many bytes; false, and nothing taken, if there are not as many. */
  boolean reserve(long bytes);

  /** Takes the few bytes that a namespace needs, for which room was kept when slots were added. */
  default boolean reserveLittle(long bytes) {
    return reserve(bytes);
  }

  void release(long bytes);
}

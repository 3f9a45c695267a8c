package io.kvasir.conformance.speed;

import java.io.IOException;

/** What moving a round's blocks costs where there is no store. */
public sealed interface Yardstick extends AutoCloseable permits DiskYardstick, MemoryYardstick {
  /** {@return what it measures, such as {@code the disk}} */
  String name();

  /** {@return a round of writing, durable where it measures a disk} */
  Round write() throws Exception;

  /** {@return a round of reading} */
  Round read() throws Exception;

  @Override
  void close() throws IOException;
}

package io.kvasir.plugin.local;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * One file of fixed blocks. Offsets, lengths and addresses are multiples of 4096, so that a file
 * opened for direct I/O can serve them. Safe for several threads. Nothing but {@link #force} makes
 * a write durable, and it covers only writes that had returned before it began.
 */
interface BlockFile extends AutoCloseable {

  /**
   * Fills {@code into} from {@code offset}; a file that ends earlier is an {@link
   * java.io.EOFException}.
   */
  void read(MemorySegment into, long offset) throws IOException;

  /**
   * Writes all of {@code from}; past the end it grows the file. After an exception any part may be
   * there.
   */
  void write(MemorySegment from, long offset) throws IOException;

  /**
   * Makes the content durable, with {@code metadata} the size as well. A failure is final: it must
   * not be repeated.
   */
  void force(boolean metadata) throws IOException;

  long size() throws IOException;

  @Override
  void close() throws IOException;
}

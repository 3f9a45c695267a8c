package io.kvasir.benchmarks.compare;

import io.kvasir.conformance.speed.DirectFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The yardstick: blocks between frames and one file, past the page cache, {@link #DEPTH} of them on
 * their way at a time, and nothing else.
 */
interface RawDisk extends AutoCloseable {
  int DEPTH = DirectFile.DEPTH;

  /** How the yardstick moves its blocks. */
  enum Way {
    /** System calls of io_uring. */
    URING,
    /** FileChannels with direct I/O, a thread for each block on its way. */
    CHANNEL;

    RawDisk open(Path file) throws IOException {
      return switch (this) {
        case URING -> new UringDisk(file);
        case CHANNEL -> new ChannelDisk(file);
      };
    }
  }

  /** Writes a block from each frame in turn to each position; returns when all are written. */
  void write(List<Long> positions, int blockBytes, FramePool frames) throws IOException;

  /** Reads the block at each position into each frame in turn. */
  void read(List<Long> positions, int blockBytes, FramePool frames) throws IOException;

  /** Makes durable what was written. */
  void flush() throws IOException;

  @Override
  void close() throws IOException;
}

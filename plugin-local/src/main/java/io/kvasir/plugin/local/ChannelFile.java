package io.kvasir.plugin.local;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;

/**
 * A file of the disk, direct or buffered. The JDK closes a channel when a thread that uses it is
 * interrupted; the channel for reads and writes is then opened again and the operation, which names
 * its place, repeated. Flushes have a channel of their own and a thread that nobody interrupts: a
 * flush whose result was lost could not be repeated and believed.
 */
final class ChannelFile implements BlockFile {
  private interface Transfer {
    void on(FileChannel channel) throws IOException;
  }

  private final Path path;
  private final Set<OpenOption> options;
  private final CalmThread calm;
  private final FileChannel flushes;
  private volatile FileChannel channel;
  private volatile boolean closed;

  ChannelFile(Path path, Set<OpenOption> options, CalmThread calm) throws IOException {
    this.path = path;
    this.options = options;
    this.calm = calm;
    this.channel = calm.call(() -> FileChannel.open(path, options));
    this.flushes = calm.call(() -> FileChannel.open(path, options));
  }

  @Override
  public void read(MemorySegment into, long offset) throws IOException {
    transfer(
        at -> {
          ByteBuffer buffer = into.asByteBuffer();
          while (buffer.hasRemaining()) {
            if (at.read(buffer, offset + buffer.position()) < 0) {
              throw new EOFException(path + " ends before " + (offset + into.byteSize()));
            }
          }
        });
  }

  @Override
  public void write(MemorySegment from, long offset) throws IOException {
    transfer(
        at -> {
          ByteBuffer buffer = from.asByteBuffer();
          while (buffer.hasRemaining()) {
            at.write(buffer, offset + buffer.position());
          }
        });
  }

  private void transfer(Transfer transfer) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        FileChannel used = channel;
        try {
          transfer.on(used);
          return;
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
          reopen(used);
        } catch (ClosedChannelException e) {
          reopen(used); // another thread was interrupted
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @SuppressWarnings("ReferenceEquality") // whether it is the very channel that was closed
  private synchronized void reopen(FileChannel lost) throws IOException {
    if (closed) {
      throw new ClosedChannelException();
    }
    if (channel == lost) {
      channel = calm.call(() -> FileChannel.open(path, options));
    }
  }

  @Override
  public void force(boolean metadata) throws IOException {
    calm.call(
        () -> {
          flushes.force(metadata);
          return null;
        });
  }

  @Override
  public long size() throws IOException {
    return calm.call(flushes::size);
  }

  @Override
  public synchronized void close() throws IOException {
    closed = true;
    try {
      channel.close();
    } finally {
      flushes.close();
    }
  }
}

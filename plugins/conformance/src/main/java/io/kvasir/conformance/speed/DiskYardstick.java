package io.kvasir.conformance.speed;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Raw I/O past the page cache, in a file of its own beside a store's. */
public final class DiskYardstick implements Yardstick {
  private static final int PAGE = 4096;

  private final Arena arena = Arena.ofShared();
  private final Path path;
  private final DirectFile file;
  private final List<Long> positions;
  private final List<MemorySegment> buffers;
  private final long bytes;

  /**
   * Writes the file once.
   *
   * @param folder where it lies until this is closed
   * @param count blocks of a round
   * @param blockBytes a multiple of 4096
   * @throws IOException if the folder's file system has no direct I/O, or no room
   */
  public DiskYardstick(Path folder, int count, long blockBytes) throws IOException {
    path = Files.createTempFile(folder, "kvasir-yardstick-", "");
    bytes = count * blockBytes;
    positions =
        new ArrayList<>(LongStream.range(0, count).map(i -> i * blockBytes).boxed().toList());
    Collections.shuffle(positions, new Random(1));
    buffers =
        IntStream.range(0, DirectFile.DEPTH)
            .mapToObj(i -> arena.allocate(blockBytes, PAGE).fill((byte) (i + 1)))
            .toList();
    DirectFile opened = null;
    try {
      opened = new DirectFile(path);
      opened.write(positions, buffers);
      opened.flush();
    } catch (IOException e) {
      if (opened != null) {
        opened.close();
      }
      end();
      throw e;
    }
    file = opened;
  }

  @Override
  public String name() {
    return "the disk";
  }

  @Override
  public Round write() throws Exception {
    return Round.time(
        bytes,
        () -> {
          file.write(positions, buffers);
          file.flush();
        });
  }

  @Override
  public Round read() throws Exception {
    return Round.time(bytes, () -> file.read(positions, buffers));
  }

  private void end() throws IOException {
    arena.close();
    Files.delete(path);
  }

  @Override
  public void close() throws IOException {
    file.close();
    end();
  }
}

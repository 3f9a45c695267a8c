package io.kvasir.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RawDiskTest {
  private static final int BLOCK = 8192;
  private static final int BLOCKS = 40;
  private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[BLOCK]);

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource
  void whatWasWrittenFromFramesIsReadIntoFrames(RawDisk.Way way) throws IOException {
    Path file = Files.createFile(folder.resolve("raw"));
    // backwards, and not at multiples of the block: positions count, not their order
    List<Long> positions =
        LongStream.range(0, BLOCKS).map(i -> (BLOCKS - i) * (BLOCK + 4096L)).boxed().toList();
    try (FramePool from = new FramePool(BLOCKS, BLOCK, true);
        FramePool into = new FramePool(BLOCKS, BLOCK, false);
        RawDisk disk = open(way, file)) {
      for (int i = 0; i < BLOCKS; i++) {
        into.frame(i).fill((byte) 0);
      }
      disk.write(positions, BLOCK, from);
      disk.flush();
      byte[] whole = Files.readAllBytes(file);
      for (long position : positions) {
        MemorySegment there = MemorySegment.ofArray(whole).asSlice(position, BLOCK);
        assertTrue(contains(from, there), "what is at " + position + " comes from a frame");
      }
      disk.read(positions, BLOCK, into);
      int filled = 0;
      for (int i = 0; i < BLOCKS; i++) {
        if (into.frame(i).mismatch(NOTHING) >= 0) {
          filled++;
          assertTrue(contains(from, into.frame(i)), "frame " + i + " holds a block");
        }
      }
      assertTrue(filled > 0, filled + " frames were filled");
    }
  }

  /** Which frame a position gets depends on which thread comes first. */
  private static boolean contains(FramePool frames, MemorySegment block) {
    for (int i = 0; i < frames.frames(); i++) {
      if (frames.frame(i).mismatch(block) < 0) {
        return true;
      }
    }
    return false;
  }

  private static RawDisk open(RawDisk.Way way, Path file) throws IOException {
    RawDisk disk = null;
    String why = "";
    try (FramePool pool = new FramePool(RawDisk.DEPTH, BLOCK, false)) {
      disk = way.open(file);
      disk.write(List.of(0L), BLOCK, pool);
    } catch (IOException e) {
      why = e.getMessage();
    }
    assumeTrue(why.isEmpty(), "this machine cannot do it: " + why);
    return disk;
  }
}

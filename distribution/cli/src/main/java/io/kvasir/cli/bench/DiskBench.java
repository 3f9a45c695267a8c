package io.kvasir.cli.bench;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.Frame;
import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.Store;
import io.kvasir.conformance.speed.CalledStore;
import io.kvasir.conformance.speed.DirectFile;
import io.kvasir.conformance.speed.Interleaved;
import io.kvasir.conformance.speed.Round;
import io.kvasir.core.memory.HugePages;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Measures a local store against the disk that it lies on: rounds of saves and loads between rounds
 * of raw I/O, in the slots of the store's own file and from the same frames. The store's blocks do
 * not survive it.
 */
public final class DiskBench {
  private static final int BATCH = 32;

  /** Told how far it is, from 0 to 1, and what it does. */
  @FunctionalInterface
  public interface Progress {
    /** Shows it. */
    void at(double share, String doing);
  }

  /**
   * What came out.
   *
   * @param put saves, durable when they were acknowledged
   * @param get loads that no cache had
   */
  public record Result(Interleaved put, Interleaved get) {}

  private final Store store;
  private final Path directory;
  private final int blockBytes;
  private final int batches;
  private final int rounds;
  private final Progress progress;
  private int done;

  /**
   * Prepares a measurement.
   *
   * @param store an open local store with room for two rounds
   * @param directory where its slab file lies
   * @param blockBytes payload of a block, a multiple of 4096
   * @param roundBytes moved in a round, about
   * @param rounds that count
   */
  public DiskBench(
      Store store, Path directory, int blockBytes, long roundBytes, int rounds, Progress progress) {
    this.store = store;
    this.directory = directory;
    this.blockBytes = blockBytes;
    long turns = roundBytes / blockBytes / BATCH / CalledStore.CALLERS;
    this.batches = CalledStore.CALLERS * (int) Math.max(1, turns); // no caller is idle at the end
    this.rounds = rounds;
    this.progress = progress;
  }

  /** {@return what the store needs to be measured so, in bytes} */
  public static long capacity(int blockBytes, long roundBytes) {
    long slack = 8L * BATCH * blockBytes + (64L << 20);
    long least = (long) CalledStore.CALLERS * BATCH * blockBytes;
    return Math.max(roundBytes, least) * 21 / 20 + slack;
  }

  /**
   * {@return how the store did}
   *
   * @throws Exception whatever store or disk fail with
   */
  public Result run() throws Exception {
    FrameSource source = store.frames();
    long stride = -(-source.frameBytes(blockBytes) & -source.alignment());
    int frames = CalledStore.CALLERS * BATCH;
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = HugePages.allocate(arena, frames * stride, source.alignment());
      new Random(7).longs(memory.byteSize() / Long.BYTES).forEach(new Filler(memory)::next);
      List<MemorySegment> pool = new ArrayList<>();
      for (int i = 0; i < frames; i++) {
        pool.add(memory.asSlice(i * stride, stride));
      }
      try (CalledStore bench = new CalledStore(store, frames(pool))) {
        for (int i = 0; i < 3; i++) { // the file grows, and from then on blocks are evicted
          bench.put(bench.prompts(batches));
          step("filling");
        }
        try (DirectFile raw = new DirectFile(slab(stride))) {
          return measured(bench, raw, pool, slots(stride));
        }
      }
    }
  }

  private List<Frame> frames(List<MemorySegment> pool) {
    return pool.stream().map(frame -> new Frame(frame, blockBytes)).toList();
  }

  private Result measured(
      CalledStore bench, DirectFile raw, List<MemorySegment> pool, List<Long> slots)
      throws Exception {
    long bytes = (long) batches * BATCH * blockBytes;
    List<MemorySegment> blocks = pool.stream().map(f -> f.asSlice(0, blockBytes)).toList();
    List<Long> some = new ArrayList<>(slots.subList(0, batches * BATCH));
    Interleaved put = new Interleaved();
    rawWrite(raw, some, blocks); // once without a stopwatch
    put.raw(rawWrite(raw, some, blocks));
    for (int i = 0; i < rounds; i++) {
      List<BlockKeys> fresh = bench.prompts(batches);
      put.round(Round.time(bytes, () -> bench.put(fresh)));
      put.raw(rawWrite(raw, some, blocks));
      step("writing");
    }
    List<BlockKeys> stored = new ArrayList<>(bench.prompts(batches));
    bench.put(stored);
    Interleaved get = new Interleaved();
    Collections.shuffle(some, new Random(1));
    raw.read(some, blocks);
    get.raw(Round.time(bytes, () -> raw.read(some, blocks)));
    for (int i = 0; i < rounds; i++) {
      Collections.shuffle(stored, new Random(i));
      get.round(Round.time(bytes, () -> bench.get(stored)));
      get.raw(Round.time(bytes, () -> raw.read(some, blocks)));
      step("reading");
    }
    return new Result(put, get);
  }

  private Round rawWrite(DirectFile raw, List<Long> slots, List<MemorySegment> blocks)
      throws Exception {
    return Round.time(
        (long) slots.size() * blockBytes,
        () -> {
          raw.write(slots, blocks);
          raw.flush();
        });
  }

  private void step(String doing) {
    progress.at((double) ++done / (3 + 2 * rounds), doing);
  }

  private Path slab(long slotBytes) {
    return directory.resolve("slab-" + slotBytes + ".kv");
  }

  /** The slots are the end of the file: see the format's description. */
  private List<Long> slots(long slotBytes) throws IOException {
    long size = Files.size(slab(slotBytes));
    return Stream.iterate(size - slotBytes, at -> at - slotBytes)
        .limit((long) batches * BATCH)
        .toList();
  }

  /** Noise, so that nothing on the way can compress it. */
  private static final class Filler {
    private final MemorySegment memory;
    private long at;

    Filler(MemorySegment memory) {
      this.memory = memory;
    }

    void next(long value) {
      memory.set(java.lang.foreign.ValueLayout.JAVA_LONG, at, value);
      at += Long.BYTES;
    }
  }
}

package io.kvasir.conformance.speed;

import io.kvasir.api.ByteSize;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.conformance.TestFrames;
import io.kvasir.conformance.speed.SpeedReport.Line;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Measures a store against what moving the same bytes costs without it: the disk, if that is where
 * a persistent store keeps its blocks, else {@code memcpy}. It is a report: nothing fails by it.
 */
public final class StoreSpeed {
  private static final int ROUNDS = 7;
  private static final int BATCH = 8;
  private static final int BLOCKS = CalledStore.CALLERS * BATCH; // of a round, a batch per caller
  private static final int PAGE = 4096;
  private static final long LARGEST = 1L << 20;
  private static final double LONG_ENOUGH = 0.02; // seconds of lookups in a round

  private final Path directory;
  private final long blockBytes;
  private Store store;
  private TestFrames frames;
  private CalledStore called;

  /** Closes the store that is open, and opens it again. */
  @FunctionalInterface
  public interface Reopening {
    /**
     * {@return the store}
     *
     * @throws StoreException if it does not open
     */
    Store again() throws StoreException;
  }

  private StoreSpeed(Store store, Path directory, long blockBytes) {
    this.store = store;
    this.directory = directory;
    this.blockBytes = blockBytes;
  }

  /**
   * {@return how fast a store is, or why that could not be measured}
   *
   * @param store the open store; its blocks may be evicted
   * @param directory where the store keeps its files, if it keeps any; there is room for a round
   *     beside it
   * @param room what the store may occupy
   * @param reopening for a store that is persistent; a get after it is a cold one
   */
  public static SpeedReport of(
      Store store, Path directory, ByteSize room, Optional<Reopening> reopening) {
    long most = room.bytes() / 2 / (ROUNDS + 1) / BLOCKS;
    long blockBytes = Math.min(LARGEST, most / PAGE * PAGE);
    if (blockBytes < PAGE) {
      return SpeedReport.none("a store of %s is too small to be measured".formatted(room));
    }
    try {
      return new StoreSpeed(store, directory, blockBytes).measure(reopening);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return SpeedReport.none("it was interrupted");
    } catch (Exception e) { // whatever a backend does: this is a report
      return SpeedReport.none(e.toString());
    }
  }

  private SpeedReport measure(Optional<Reopening> reopening) throws Exception {
    open();
    called.put(called.prompts(CalledStore.CALLERS)); // files are made, code is compiled
    boolean onDisk = reopening.isPresent() && lies(BLOCKS * blockBytes);
    List<Line> lines = new ArrayList<>();
    try (Yardstick yardstick = yardstick(onDisk)) {
      List<List<BlockKeys>> sets = put(yardstick, lines);
      if (reopening.isPresent()) {
        shut();
        store = reopening.get().again();
        frames.close();
        open();
      }
      get(yardstick, sets, lines, reopening.isPresent(), onDisk);
      lines.add(find(sets.stream().flatMap(List::stream).toList()));
    }
    shut();
    frames.close(); // not after a failure: a late call may still have one
    return new SpeedReport(blockBytes, lines, "");
  }

  private void open() throws StoreException {
    frames = new TestFrames(store.frames());
    called = new CalledStore(store, frames.frames(BLOCKS, blockBytes));
  }

  private void shut() {
    called.close();
  }

  /** {@return whether at least so many bytes lie in the store's files} */
  private boolean lies(long bytes) throws IOException {
    long found = 0;
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        found += Files.size(file);
      }
    }
    return found >= bytes;
  }

  private Yardstick yardstick(boolean onDisk) {
    if (onDisk) {
      try {
        return new DiskYardstick(directory.toAbsolutePath().getParent(), BLOCKS, blockBytes);
      } catch (IOException e) {
        // a file system without direct I/O is mostly one in memory
      }
    }
    return new MemoryYardstick(BLOCKS, blockBytes, BLOCKS);
  }

  private List<List<BlockKeys>> put(Yardstick yardstick, List<Line> lines) throws Exception {
    List<List<BlockKeys>> sets = new ArrayList<>();
    Interleaved put = new Interleaved();
    yardstick.write();
    put.raw(yardstick.write());
    for (int i = 0; i < ROUNDS; i++) {
      List<BlockKeys> fresh = called.prompts(CalledStore.CALLERS);
      sets.add(fresh);
      put.round(Round.time(BLOCKS * blockBytes, () -> called.put(fresh)));
      put.raw(yardstick.write());
    }
    lines.add(Line.bytes("put", yardstick.name(), put, ""));
    return sets;
  }

  private void get(
      Yardstick yardstick,
      List<List<BlockKeys>> sets,
      List<Line> lines,
      boolean reopened,
      boolean onDisk)
      throws Exception {
    Interleaved first = new Interleaved();
    Interleaved again = new Interleaved();
    Share cold = new Share(onDisk);
    Share warm = new Share(onDisk);
    yardstick.read();
    raw(yardstick.read(), first, again);
    for (List<BlockKeys> set : sets) {
      if (reopened) {
        first.round(cold.of(() -> called.get(set)));
      }
      again.round(warm.of(() -> called.get(set)));
      if (reopened) {
        first.raw(yardstick.read());
        again.raw(first.raw().getLast());
      } else {
        again.raw(yardstick.read());
      }
    }
    if (reopened) {
      lines.add(Line.bytes("get, cold", yardstick.name(), first, cold.said()));
      lines.add(Line.bytes("get, warm", yardstick.name(), again, warm.said()));
    } else {
      lines.add(Line.bytes("get", yardstick.name(), again, ""));
    }
  }

  private static void raw(Round round, Interleaved... series) {
    for (Interleaved one : series) {
      one.raw(round);
    }
  }

  private Line find(List<BlockKeys> batches) throws Exception {
    int blocks = batches.size() * BATCH;
    called.find(batches);
    double once = Round.time(1, () -> called.find(batches)).seconds();
    int times = (int) Math.clamp(LONG_ENOUGH / once, 1, 1000);
    int count = blocks * times;
    Interleaved found = new Interleaved();
    try (HashReads reads = new HashReads()) {
      reads.read(count);
      found.raw(reads.read(count));
      for (int i = 0; i < ROUNDS; i++) {
        found.round(
            Round.time(
                (long) count * HashReads.BYTES,
                () -> {
                  for (int turn = 0; turn < times; turn++) {
                    called.find(batches);
                  }
                }));
        found.raw(reads.read(count));
      }
    }
    return Line.lookups(found);
  }

  /** How much of what was loaded had to come from a device, as far as the kernel says. */
  private final class Share {
    private final boolean onDisk;
    private long moved;
    private long fromDevice;

    Share(boolean onDisk) {
      this.onDisk = onDisk;
    }

    Round of(Round.Pass pass) throws Exception {
      OptionalLong before = DiskReads.bytes();
      Round round = Round.time(BLOCKS * blockBytes, pass);
      OptionalLong after = DiskReads.bytes();
      if (before.isPresent() && after.isPresent()) {
        moved += round.bytes();
        fromDevice += after.getAsLong() - before.getAsLong();
      }
      return round;
    }

    String said() {
      return onDisk && moved > 0
          ? "%d %% of it came from the device".formatted(Math.min(100, 100 * fromDevice / moved))
          : "";
    }
  }
}

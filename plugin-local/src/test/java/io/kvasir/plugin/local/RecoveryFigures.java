package io.kvasir.plugin.local;

import io.kvasir.api.store.StoreException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * How long a slab file with many blocks takes to open after a crash: its checkpoint full, its log
 * ring full of pages, and behind the last durable batch 64 blocks whose slots have to be read. One
 * line of JSON. Arguments: blocks (1000000), rounds (9) and a directory for the file, which is
 * sparse but for what an opening reads.
 */
final class RecoveryFigures {
  private static final long STORE = 0x5eed;
  private static final int SLOT = 4096;
  private static final int LENGTH = 2048;
  private static final int RING = 16384;
  private static final int TAIL = 64;
  private static final Bits128 NAMESPACE = new Bits128(7, 8);

  private static final StoreThreads THREADS = StoreThreads.start(IoMemory.PLAIN);

  private RecoveryFigures() {}

  public static void main(String[] args) throws IOException, StoreException {
    int blocks = args.length > 0 ? Integer.parseInt(args[0]) : 1_000_000;
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 9;
    Path path = args.length > 2 ? Path.of(args[2]) : Files.createTempDirectory("recovery");
    try (DiskDirectory disk = new DiskDirectory(path)) {
      disk.settle(true);
      double[] opened = new double[rounds];
      double[] processor = new double[rounds];
      double[] log = new double[rounds];
      for (int round = 0; round < rounds; round++) {
        crashed(disk, path, blocks, 2);
        long before = processorNanos();
        opened[round] = open(disk, blocks);
        processor[round] = (processorNanos() - before) / 1e6;
      }
      for (int round = 0; round < rounds; round++) {
        crashed(disk, path, blocks, RING / 2);
        log[round] = open(disk, blocks);
      }
      System.out.printf(
          Locale.ROOT,
          "{\"blocks\": %d, \"direct\": %s, \"open_first_ms\": %.1f, \"open_warm_ms\": %.1f,"
              + " \"open_warm_processor_ms\": %.1f,"
              + " \"open_warm_half_a_ring_of_log_ms\": %.1f}%n",
          blocks,
          disk.isDirect(),
          opened[0],
          median(opened, 1),
          median(processor, 1),
          median(log, 1));
    } finally {
      try (Stream<Path> files = Files.list(path)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(path);
    }
  }

  /** What lies on the disk after a crash with that many batches behind the checkpoint. */
  private static void crashed(Directory disk, Path path, int blocks, int batches)
      throws IOException {
    disk.delete(SlabFile.name(SLOT));
    SlabFile.create(disk, Header.first(STORE, SLOT, RING)).close();
    Path file = path.resolve(SlabFile.name(SLOT));
    try (SlabFile slab = SlabFile.open(disk, STORE, SLOT);
        RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      Header grown = slab.header().grownTo(blocks);
      sparse.setLength(grown.slotPosition(blocks));
      slab.grown(grown);
      slab.rewriteHeader();
      long checkpoint = RING;
      new Checkpoint(STORE, checkpoint, blocks)
          .write(
              disk,
              Checkpoint.name(SLOT),
              (from, to, entries) -> entries(from, Math.min(to, blocks - TAIL), to, entries),
              () -> List.of(NAMESPACE));
      for (int i = 0; i < RING; i++) {
        long seq = i < batches ? checkpoint + 1 + i : checkpoint - RING + i + 1;
        int tail = i >= batches - 2 && i < batches ? blocks - TAIL + (i - batches + 2) * 32 : -1;
        writePage(slab, i, seq, checkpoint + batches - 2, checkpoint, tail >= 0 ? tail : i * 32);
        if (tail >= 0) {
          for (int k = 0; k < 32; k++) {
            slab.writeSlot(tail + k, block(tail + k, seq));
          }
        }
      }
      slab.file().force(true);
    }
  }

  private static void entries(int from, int full, int to, long[] entries) {
    Arrays.fill(entries, 0);
    for (int slot = from; slot < Math.min(full, to); slot++) {
      Bits128 print = SlabHistory.print(key(slot));
      int at = Checkpoint.WORDS * (slot - from);
      entries[at] = print.first();
      entries[at + 1] = print.second();
      entries[at + 2] = SlotRecords.pair(slot, LENGTH);
      // as after years of use: nothing lies in the order of its clock
      entries[at + 3] = (mixed(slot) >>> 40) | ((long) (slot & 1023) << 32) | (1L << 48);
    }
  }

  private static long mixed(int slot) {
    return (slot + 1) * 0xbf58476d1ce4e5b9L;
  }

  private static Key key(int slot) {
    return new Key(NAMESPACE, 0, 0, slot, 1, 2, 3);
  }

  private static PutRecord put(int slot, int crc) {
    return new PutRecord(slot, key(slot), LENGTH, crc, slot & 1023, 1, Bits128.ZERO);
  }

  private static MemorySegment block(int slot, long seq) {
    MemorySegment frame = Layout.pages(1);
    int crc = Layout.crc(frame.asSlice(0, LENGTH));
    new Trailer(STORE, slot, seq, put(slot, crc)).write(frame);
    return frame;
  }

  private static void writePage(
      SlabFile slab, int page, long seq, long flushed, long checkpoint, int firstSlot)
      throws IOException {
    int crc = Layout.crc(Layout.pages(1).asSlice(0, LENGTH));
    List<PutRecord> puts = new ArrayList<>();
    for (int i = 0; i < LogPage.MAX_PUTS; i++) {
      puts.add(put(firstSlot + i, crc));
    }
    MemorySegment bytes = Layout.pages(1);
    new LogPage(
            LogPage.Kind.BATCH,
            1,
            seq,
            Math.min(flushed, seq - 1),
            seq > checkpoint ? checkpoint : 0,
            puts,
            List.of())
        .write(bytes, STORE);
    slab.writePage(page, bytes);
  }

  /** Milliseconds until the file serves. */
  private static double open(Directory disk, int blocks) throws IOException {
    long start = System.nanoTime();
    Slab slab =
        Slab.open(
            disk,
            SlabFile.open(disk, STORE, SLOT),
            SlabHistory::print,
            new Slab.Options(Durability.BATCH, 1, THREADS, new Metrics(), null),
            new Budget(disk, Long.MAX_VALUE, 0),
            Rules.KEPT);
    double millis = (System.nanoTime() - start) / 1e6;
    if (slab.usage().blocks() != blocks || !slab.damages().isEmpty()) {
      throw new AssertionError(slab.usage() + " " + slab.damages());
    }
    slab.close(io.kvasir.api.Deadline.never());
    return millis;
  }

  /** What this thread has had of a processor, as Linux says it: of use on a busy machine. */
  private static long processorNanos() throws IOException {
    Path statistics = Path.of("/proc/thread-self/schedstat");
    return Files.exists(statistics)
        ? Long.parseLong(Files.readString(statistics).split(" ", -1)[0])
        : 0;
  }

  private static double median(double[] values, int from) {
    double[] sorted = Arrays.copyOfRange(values, from, values.length);
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}

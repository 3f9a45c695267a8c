package io.kvasir.benchmarks.common;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.benchmarks.common.DiskFormat.Put;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * A directory of plugin-local as a crash leaves it, with far more blocks than the disk has room
 * for: head, log, checkpoint and the blocks that no flush covers are real; all other slots are a
 * hole in the file, which an open must not read.
 */
public final class SparseStore {
  /** Blocks of a chain; the slots hold one chain after the other. */
  public static final int CHAIN = 2000;

  /** Pages above the last flush: the blocks of their puts are verified. */
  private static final int UNFLUSHED = 2;

  private static final int LOG_PAGES = 16384;
  private static final long LAST_SEQ = 3L * LOG_PAGES;

  private final Path directory;
  private final Chains chains;
  private final DiskFormat format;
  private final long checkpointSeq;

  /**
   * Makes a directory with a namespace, by the plugin itself.
   *
   * @param slots all of them hold a block; a multiple of 2,000
   * @param replayed pages of 32 puts since the last checkpoint, the two that are not flushed among
   *     them
   */
  public SparseStore(Path directory, Chains chains, int slots, int replayed)
      throws IOException, StoreException {
    if (slots % CHAIN != 0 || replayed < UNFLUSHED || replayed * DiskFormat.PUTS > slots) {
      throw new IllegalArgumentException(slots + " slots, " + replayed + " pages");
    }
    this.directory = directory;
    this.chains = chains;
    this.checkpointSeq = LAST_SEQ - replayed;
    Store store = open();
    store.open(chains.manifest()).close();
    store.close();
    String id = Files.readAllLines(directory.resolve("store")).get(1).substring("id ".length());
    this.format =
        new DiskFormat(
            HexFormat.fromHexDigitsToLong(id),
            (int) chains.manifest().payloadBytes(0),
            slots,
            LOG_PAGES);
    writeCheckpoint(slots - replayed * DiskFormat.PUTS);
  }

  /** Opens the store; without the scrub, which would find the hole. */
  public Store open() throws StoreException {
    return Stores.open(
        "local", Map.of("directory", directory.toString(), "capacity", "1000 TiB", "scrub", "0"));
  }

  /** {@return the blocks that it holds} */
  public int blocks() {
    return format.slots();
  }

  /** {@return how many of them an open has to verify: those of the last slots} */
  public static int unflushed() {
    return UNFLUSHED * DiskFormat.PUTS;
  }

  public int chainCount() {
    return blocks() / CHAIN;
  }

  /** {@return the keys of a chain} */
  public BlockKeys chain(int number) {
    return chains.prompt(number, CHAIN);
  }

  private Path file(String suffix) {
    return directory.resolve("slab-" + format.slotBytes() + suffix);
  }

  private Path savedCheckpoint() {
    return directory.resolveSibling(directory.getFileName() + ".checkpoint");
  }

  /** Makes the files what they were when the process died, whatever an open has done to them. */
  public void crash() throws IOException {
    Path checkpoint = file(".checkpoint");
    Files.copy(savedCheckpoint(), checkpoint, StandardCopyOption.REPLACE_EXISTING);
    Files.deleteIfExists(file(".kv"));
    try (FileChannel slab =
        FileChannel.open(file(".kv"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      write(slab, format.header(), 0);
      writeLog(slab); // with the block of the last slot: the file has its whole length
    }
    PageCache.drop(directory);
  }

  private void writeLog(FileChannel slab) throws IOException {
    BlockKeys chain = null;
    int number = -1;
    for (long seq = LAST_SEQ - LOG_PAGES + 1; seq <= LAST_SEQ; seq++) {
      boolean flushed = seq <= LAST_SEQ - UNFLUSHED;
      List<Put> puts = new ArrayList<>();
      for (int i = 0; i < DiskFormat.PUTS; i++) {
        long youngest = (LAST_SEQ - seq + 1) * DiskFormat.PUTS;
        int slot = Math.floorMod(blocks() - youngest + i, blocks());
        if (slot / CHAIN != number) {
          number = slot / CHAIN;
          chain = chain(number);
        }
        puts.add(flushed ? put(slot, chain) : writeBlock(slab, seq, put(slot, chain)));
      }
      DiskFormat.Page page =
          new DiskFormat.Page(
              seq,
              flushed ? seq - 1 : LAST_SEQ - UNFLUSHED,
              seq <= checkpointSeq ? 0 : checkpointSeq);
      write(slab, format.page(page, puts), format.logPosition(seq));
    }
  }

  /** The checksum of a block that nobody reads is a number. */
  private static Put put(int slot, BlockKeys chain) {
    return new Put(slot, chain, slot % CHAIN, slot / CHAIN + 1, slot);
  }

  private Put writeBlock(FileChannel slab, long seq, Put put) throws IOException {
    MemorySegment slot = MemorySegment.ofArray(new byte[format.slotBytes()]);
    MemorySegment payload = slot.asSlice(0, format.payload());
    SplittableRandom noise = new SplittableRandom(put.slot());
    for (long at = 0; at < payload.byteSize(); at += Long.BYTES) {
      payload.set(ValueLayout.JAVA_LONG_UNALIGNED, at, noise.nextLong());
    }
    Put whole = new Put(put.slot(), put.chain(), put.block(), put.clock(), DiskFormat.crc(payload));
    format.trailer(slot, whole, seq);
    write(slab, slot, format.slotPosition(put.slot()));
    return whole;
  }

  /** The slots that no page is replayed for. */
  private void writeCheckpoint(int covered) throws IOException {
    int together = 4 * Runtime.getRuntime().availableProcessors();
    try (FileChannel file =
        FileChannel.open(
            savedCheckpoint(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      long at = DiskFormat.PAGE;
      for (int from = 0; from < format.sections(); from += together) {
        List<MemorySegment> sections =
            IntStream.range(from, Math.min(format.sections(), from + together))
                .parallel()
                .mapToObj(number -> section(number, covered))
                .toList();
        for (MemorySegment section : sections) {
          write(file, section, at);
          at += section.byteSize();
        }
      }
      MemorySegment namespaces = DiskFormat.namespaces(chain(0));
      write(file, namespaces, at);
      write(file, format.checkpointHead(checkpointSeq, namespaces), 0);
    }
  }

  private MemorySegment section(int number, int covered) {
    int first = number * DiskFormat.SECTION;
    List<Put> puts = new ArrayList<>();
    BlockKeys chain = null;
    for (int slot = first; slot < Math.min(covered, first + DiskFormat.SECTION); slot++) {
      chain = chain == null || slot % CHAIN == 0 ? chain(slot / CHAIN) : chain;
      puts.add(put(slot, chain));
    }
    return format.section(number, checkpointSeq, puts);
  }

  /** Deletes the directory, with a store that is closed. */
  public void delete() throws IOException {
    Files.delete(savedCheckpoint());
    Scratch.delete(directory);
  }

  private static void write(FileChannel file, MemorySegment from, long at) throws IOException {
    ByteBuffer bytes = from.asByteBuffer();
    while (bytes.hasRemaining()) {
      file.write(bytes, at + bytes.position());
    }
  }
}

package io.kvasir.plugin.local;

import static io.kvasir.plugin.local.Layout.PAGE;
import static io.kvasir.plugin.local.Layout.U16;
import static io.kvasir.plugin.local.Layout.U32;
import static io.kvasir.plugin.local.Layout.U64;
import static io.kvasir.plugin.local.Layout.VERSION;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * One page of the log ring: the records of one batch.
 *
 * @param life counts the openings of the file
 * @param seq the batch, unique for ever (I10)
 * @param flushedThrough all batches up to this one were flushed before this page was written (I3)
 * @param checkpointSeq the checkpoint that was durable when this page was written
 */
record LogPage(
    Kind kind,
    long life,
    long seq,
    long flushedThrough,
    long checkpointSeq,
    List<PutRecord> puts,
    List<Ending> endings) {

  static final int MAX_PUTS = 32;
  static final int MAX_ENDINGS = 40;
  private static final int MAGIC = 0x3153564b; // "KVS1"
  private static final int HEADER = 64;
  private static final int PUT = 96;
  private static final int ENDING = 24;

  /** How many endings fit where there are no puts. */
  static final int MAX_ENDINGS_ALONE = (PAGE - HEADER) / ENDING;

  enum Kind {
    BATCH(0),
    MARK(1),
    REJECTION(2);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    int code() {
      return code;
    }
  }

  /** What takes blocks away. */
  sealed interface Ending {}

  /**
   * Ends the put of one sequence in one slot; names the put and not the key, so that it can be
   * replayed late (I6).
   */
  record Tombstone(int slot, long seq, long fingerprint) implements Ending {}

  /** Ends all puts of a namespace with a lower sequence. */
  record NamespaceEnd(Bits128 namespace) implements Ending {}

  void write(MemorySegment to, long storeId) {
    to.fill((byte) 0);
    to.set(U32, 0, MAGIC);
    to.set(U16, 4, (short) VERSION);
    to.set(U16, 6, (short) kind.code);
    to.set(U64, 8, life);
    to.set(U64, 16, seq);
    to.set(U64, 24, flushedThrough);
    to.set(U16, 34, (short) 1);
    to.set(U16, 36, (short) puts.size());
    to.set(U16, 38, (short) endings.size());
    to.set(U64, 40, storeId);
    to.set(U64, 48, checkpointSeq);
    long at = HEADER;
    for (PutRecord put : puts) {
      writePut(to, at, put);
      at += PUT;
    }
    for (Ending ending : endings) {
      writeEnding(to, at, ending);
      at += ENDING;
    }
    to.set(U32, 60, Layout.crc(to));
  }

  private static void writePut(MemorySegment to, long at, PutRecord put) {
    to.set(U32, at, 1);
    to.set(U32, at + 4, put.slot());
    put.key().write(to, at + 8);
    to.set(U32, at + 64, put.length());
    to.set(U32, at + 68, put.crc());
    to.set(U32, at + 72, put.depth());
    to.set(U32, at + 76, put.clock());
    put.parent().write(to, at + 80);
  }

  private static void writeEnding(MemorySegment to, long at, Ending ending) {
    switch (ending) {
      case Tombstone tombstone -> {
        to.set(U32, at, 2);
        to.set(U32, at + 4, tombstone.slot);
        to.set(U64, at + 8, tombstone.seq);
        to.set(U64, at + 16, tombstone.fingerprint);
      }
      case NamespaceEnd end -> {
        to.set(U32, at, 3);
        end.namespace.write(to, at + 8);
      }
    }
  }

  /** Reads a page; null where there is none of this store, or not a whole one. */
  static LogPage read(MemorySegment from, long storeId) {
    return read(from, storeId, 0);
  }

  /** The same; one that a checkpoint at {@code covered} has taken in comes without its records. */
  static LogPage read(MemorySegment from, long storeId, long covered) {
    if (from.get(U32, 0) != MAGIC || from.get(U64, 40) != storeId) {
      return null;
    }
    int crc = from.get(U32, 60);
    from.set(U32, 60, 0);
    boolean whole = Layout.crc(from) == crc;
    from.set(U32, 60, crc);
    boolean old = from.get(U64, 16) <= covered;
    int puts = old ? 0 : Short.toUnsignedInt(from.get(U16, 36));
    int endings = old ? 0 : Short.toUnsignedInt(from.get(U16, 38));
    int kind = Short.toUnsignedInt(from.get(U16, 6));
    if (!whole
        || from.get(U16, 4) != VERSION
        || kind >= Kind.values().length
        || HEADER + puts * PUT + endings * ENDING > PAGE) {
      return null;
    }
    return new LogPage(
        Kind.values()[kind],
        from.get(U64, 8),
        from.get(U64, 16),
        from.get(U64, 24),
        from.get(U64, 48),
        readPuts(from, puts),
        readEndings(from, HEADER + (long) puts * PUT, endings));
  }

  private static List<PutRecord> readPuts(MemorySegment from, int count) {
    List<PutRecord> puts = new ArrayList<>(count);
    for (long at = HEADER; puts.size() < count; at += PUT) {
      puts.add(
          new PutRecord(
              from.get(U32, at + 4),
              Key.read(from, at + 8),
              from.get(U32, at + 64),
              from.get(U32, at + 68),
              from.get(U32, at + 72),
              from.get(U32, at + 76),
              Bits128.read(from, at + 80)));
    }
    return puts;
  }

  private static List<Ending> readEndings(MemorySegment from, long start, int count) {
    List<Ending> endings = new ArrayList<>(count);
    for (long at = start; endings.size() < count; at += ENDING) {
      endings.add(
          from.get(U32, at) == 2
              ? new Tombstone(from.get(U32, at + 4), from.get(U64, at + 8), from.get(U64, at + 16))
              : new NamespaceEnd(Bits128.read(from, at + 8)));
    }
    return endings;
  }
}

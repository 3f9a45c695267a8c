package io.kvasir.plugin.local;

import io.kvasir.api.BlockStatus;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** What a store has counted since it was opened. Thread-safe. */
final class Metrics {

  /** What is counted, by the name under which it is read. */
  enum Count {
    BLOCKS_IN("blocks.in"),
    BYTES_IN("blocks.in.bytes"),
    BLOCKS_OUT("blocks.out"),
    BYTES_OUT("blocks.out.bytes"),
    BLOCKS_EVICTED("blocks.evicted"),
    BYTES_EVICTED("blocks.evicted.bytes"),
    BLOCKS_QUARANTINED("blocks.quarantined"),
    BYTES_QUARANTINED("blocks.quarantined.bytes"),
    BLOCKS_NOT_ADMITTED("blocks.unadmitted"),
    /** Not there. */
    MISSED_ABSENT("missed.absent"),
    /** There at the lookup and gone at the load. */
    MISSED_LEASE("missed.lease"),
    /** There with other bytes than were saved. */
    MISSED_MISMATCH("missed.mismatch"),
    MISSED_DEADLINE("missed.deadline"),
    /** Of a size for which the store has no room. */
    MISSED_SIZE("missed.size"),
    MISSED_IO("missed.io"),
    MISSED_CLOSED("missed.closed"),
    /** Blocks that are being read or written now, or wait for it. */
    QUEUE("queue.blocks"),
    FLUSHES("flushes"),
    CHECKPOINTS("checkpoints"),
    SCRUBBED("scrub.blocks");

    private final String published;

    Count(String published) {
      this.published = published;
    }
  }

  private final Map<Count, LongAdder> counts = new EnumMap<>(Count.class);

  /** From the moment a block's turn comes. */
  final Latency reads = new Latency();

  /** From the first checksum of a batch to its acknowledgement. */
  final Latency batches = new Latency();

  final Latency flushes = new Latency();

  Metrics() {
    for (Count count : Count.values()) {
      counts.put(count, new LongAdder());
    }
  }

  void add(Count count, long more) {
    counts.get(count).add(more);
  }

  long get(Count count) {
    return counts.get(count).sum();
  }

  /**
   * Counts the end of a load of one block.
   *
   * @param promised whether a lookup had found it
   */
  void loaded(BlockStatus status, long bytes, boolean promised) {
    switch (status) {
      case OK -> {
        add(Count.BLOCKS_OUT, 1);
        add(Count.BYTES_OUT, bytes);
      }
      case MISS -> add(promised ? Count.MISSED_LEASE : Count.MISSED_ABSENT, 1);
      case CORRUPT, MISMATCH -> add(Count.MISSED_MISMATCH, 1);
      case TIMEOUT -> add(Count.MISSED_DEADLINE, 1);
      case CAPACITY -> add(Count.MISSED_SIZE, 1);
      case IO -> add(Count.MISSED_IO, 1);
      case CLOSED, CANCELLED -> add(Count.MISSED_CLOSED, 1);
    }
  }

  Map<String, Long> snapshot() {
    Map<String, Long> values = new TreeMap<>();
    counts.forEach((count, adder) -> values.put(count.published, adder.sum()));
    reads.addTo(values, "read");
    batches.addTo(values, "save");
    flushes.addTo(values, "flush");
    return values;
  }
}

package io.kvasir.plugin.mooncake;

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
    /** Not there, or gone since the lookup. */
    MISSED_ABSENT("missed.absent"),
    /** There with other bytes than were saved. */
    MISSED_MISMATCH("missed.mismatch"),
    MISSED_DEADLINE("missed.deadline"),
    MISSED_IO("missed.io"),
    MISSED_CLOSED("missed.closed"),
    /** Corrupt for certain, and removed. */
    BLOCKS_REMOVED_CORRUPT("blocks.corrupt"),
    /** Puts that were made again because there was no room. */
    PRESSURE_RETRIES("pressure.retries"),
    /** Blocks that were not saved because there was no room. */
    PRESSURE_DROPPED("pressure.dropped");

    private final String published;

    Count(String published) {
      this.published = published;
    }
  }

  private final Map<Count, LongAdder> counts = new EnumMap<>(Count.class);

  Metrics() {
    for (Count count : Count.values()) {
      counts.put(count, new LongAdder());
    }
  }

  void add(Count count, long more) {
    counts.get(count).add(more);
  }

  /** Counts the end of a load of one block. */
  void loaded(BlockStatus status, long bytes) {
    switch (status) {
      case OK -> {
        add(Count.BLOCKS_OUT, 1);
        add(Count.BYTES_OUT, bytes);
      }
      case MISS -> add(Count.MISSED_ABSENT, 1);
      case CORRUPT, MISMATCH -> add(Count.MISSED_MISMATCH, 1);
      case TIMEOUT -> add(Count.MISSED_DEADLINE, 1);
      case IO, CAPACITY -> add(Count.MISSED_IO, 1);
      case CLOSED, CANCELLED -> add(Count.MISSED_CLOSED, 1);
    }
  }

  /** Counts the end of a save of one block. */
  void saved(BlockStatus status, long bytes) {
    if (status == BlockStatus.OK) {
      add(Count.BLOCKS_IN, 1);
      add(Count.BYTES_IN, bytes);
    } else if (status == BlockStatus.CAPACITY) {
      add(Count.PRESSURE_DROPPED, 1);
    }
  }

  Map<String, Long> snapshot() {
    Map<String, Long> values = new TreeMap<>();
    counts.forEach((count, adder) -> values.put(count.published, adder.sum()));
    return values;
  }
}

package io.kvasir.benchmarks.compare;

import java.nio.file.Path;
import tools.jackson.databind.json.JsonMapper;

/**
 * What one JVM measures; passed to it as JSON.
 *
 * @param peer the store
 * @param folder of this measurement alone
 * @param raw how the yardstick moves blocks
 * @param blockBytes payload of a block, a multiple of 4096
 * @param batchBlocks blocks of a call
 * @param blocks of a round, a multiple of {@code batchBlocks}
 * @param rounds that count
 * @param seconds that the rounds of one kind may take; then they end, with three at least
 * @param callers threads that call the store at once
 * @param hugePages whether frames are huge pages
 */
record Plan(
    PeerKind peer,
    Path folder,
    RawDisk.Way raw,
    int blockBytes,
    int batchBlocks,
    int blocks,
    int rounds,
    int seconds,
    int callers,
    boolean hugePages) {
  private static final int FEWEST = 3;
  private static final JsonMapper JSON = new JsonMapper();

  /**
   * {@return whether another round should follow so many that began at {@link System#nanoTime()}}
   */
  boolean wantsMore(int done, long began) {
    return done < rounds && (done < FEWEST || System.nanoTime() - began < seconds * 1_000_000_000L);
  }

  int batches() {
    return blocks / batchBlocks;
  }

  long roundBytes() {
    return (long) blocks * blockBytes;
  }

  /** {@return a block and what a store may put behind it} */
  long frameBytes() {
    return blockBytes + 4096L;
  }

  /** {@return where the store lies} */
  Path directory() {
    return folder.resolve("store");
  }

  /** {@return the file for raw rounds beside a store whose own files cannot bear them} */
  Path rawFile() {
    return folder.resolve("raw");
  }

  /** {@return the blocks of a round and those that are on their way out meanwhile} */
  int capacityBlocks() {
    return blocks + (callers + 5) * batchBlocks;
  }

  /** {@return bytes for that many blocks, and for what a store keeps beside them} */
  long capacity() {
    return capacityBlocks() * frameBytes() * 33 / 32 + (16 << 20);
  }

  String json() {
    return JSON.writeValueAsString(this);
  }

  static Plan of(String json) {
    return JSON.readValue(json, Plan.class);
  }
}

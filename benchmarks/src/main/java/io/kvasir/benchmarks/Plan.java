package io.kvasir.benchmarks;

import java.nio.file.Path;
import tools.jackson.databind.json.JsonMapper;

/**
 * What one JVM measures; passed to it as JSON.
 *
 * @param peer name of the store
 * @param directory the store's own, empty at first
 * @param raw how the yardstick moves blocks
 * @param blockBytes payload of a block
 * @param batchBlocks blocks of a call
 * @param blocks of a round, a multiple of {@code batchBlocks}
 * @param rounds that count; one more before them does not
 * @param callers threads that call the store at once
 * @param hugePages whether frames are huge pages
 */
record Plan(
    String peer,
    Path directory,
    RawDisk.Way raw,
    int blockBytes,
    int batchBlocks,
    int blocks,
    int rounds,
    int callers,
    boolean hugePages) {
  private static final JsonMapper JSON = new JsonMapper();

  int batches() {
    return blocks / batchBlocks;
  }

  long roundBytes() {
    return (long) blocks * blockBytes;
  }

  String json() {
    return JSON.writeValueAsString(this);
  }

  static Plan of(String json) {
    return JSON.readValue(json, Plan.class);
  }
}

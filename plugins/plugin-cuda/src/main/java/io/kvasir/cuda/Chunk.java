package io.kvasir.cuda;

/**
 * Blocks that are moved together.
 *
 * @param shape how they lie in the device's memory
 * @param rows their rows there
 * @param hosts the addresses of their payloads, all pinned
 * @param pins which piece of pinned memory each payload lies in; no copy may reach over two
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record Chunk(Shape shape, int[] rows, long[] hosts, long[] pins) {
  int count() {
    return rows.length;
  }
}

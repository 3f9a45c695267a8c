package io.kvasir.cuda;

/**
 * Blocks that are moved together, in the order of their payloads' addresses, so that runs of them
 * are long whatever order the frames came in.
 *
 * @param shape how they lie in the device's memory
 * @param rows their rows there
 * @param hosts the addresses of their payloads, all pinned
 * @param pins which piece of pinned memory each payload lies in; no copy may reach over two
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record Chunk(Shape shape, int[] rows, long[] hosts, long[] pins) {
  /** Sorts the blocks. */
  Chunk {
    for (int i = 1; i < rows.length; i++) { // nearly sorted, one way or the other
      int row = rows[i];
      long host = hosts[i];
      long pin = pins[i];
      int at = i;
      for (; at > 0 && hosts[at - 1] > host; at--) {
        rows[at] = rows[at - 1];
        hosts[at] = hosts[at - 1];
        pins[at] = pins[at - 1];
      }
      rows[at] = row;
      hosts[at] = host;
      pins[at] = pin;
    }
  }

  int count() {
    return rows.length;
  }
}

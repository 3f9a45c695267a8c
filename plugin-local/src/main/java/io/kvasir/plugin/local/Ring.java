package io.kvasir.plugin.local;

/**
 * Which batch lies in which page of the log ring. A page is overwritten only when a durable
 * checkpoint covers its batch (I5). Not thread-safe.
 */
final class Ring {
  private final long[] seqs;
  private final Rules rules;
  private int next;
  private int used;
  private long checkpointSeq;

  Ring(int pages, Rules rules) {
    this.seqs = new long[pages];
    this.rules = rules;
  }

  /** Notes a page that was found at open. */
  void found(int page, long seq) {
    seqs[page] = seq;
  }

  /** Goes on behind {@code page}, with the checkpoint that is in force. */
  void continueAfter(int page, long durableCheckpoint) {
    next = (page + 1) % seqs.length;
    checkpointed(durableCheckpoint);
  }

  long checkpointSeq() {
    return checkpointSeq;
  }

  void checkpointed(long seq) {
    checkpointSeq = seq;
    used = 0;
    for (long there : seqs) {
      if (there > seq) {
        used++;
      }
    }
  }

  int pages() {
    return seqs.length;
  }

  boolean full() {
    return seqs[next] > checkpointSeq && !rules.overwritesLivePages();
  }

  /** Whether it is time for a checkpoint: early enough that nobody has to wait for it. */
  boolean filling() {
    return used >= seqs.length / 2 && !rules.overwritesLivePages();
  }

  /** How many pages in a row can be given out now. */
  int freeRun() {
    int run = 0;
    while (run < seqs.length && seqs[(next + run) % seqs.length] <= checkpointSeq) {
      run++;
    }
    return run;
  }

  /** Gives the next page to a batch; the ring must not be full. */
  int reserve(long seq) {
    int page = next;
    seqs[page] = seq;
    used++;
    next = (next + 1) % seqs.length;
    return page;
  }
}

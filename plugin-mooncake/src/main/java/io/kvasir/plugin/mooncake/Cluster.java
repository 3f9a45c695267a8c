package io.kvasir.plugin.mooncake;

import io.kvasir.api.Deadline;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The way to the cluster, as namespaces use it.
 *
 * @param session the handle
 * @param calls the guard around what may not come back
 * @param metrics what is counted
 * @param replication how blocks are kept, as the library reads it
 * @param verifySaves whether saved blocks are asked for
 */
record Cluster(
    Session session, Calls calls, Metrics metrics, long replication, boolean verifySaves) {
  /** Tries after the first, with {@link #pause} between them. */
  static final int RETRIES = 3;

  private static final int SHORTEST_PAUSE = 10;
  private static final int LONGEST_PAUSE = 20;

  Abi abi() {
    return session.abi();
  }

  /** As {@link Calls#run}. */
  long[] call(String what, Deadline deadline, Blocks blocks, Calls.Work work)
      throws StoreException {
    return calls.run(what, deadline, blocks, work);
  }

  /**
   * Waits for 10 to 20 ms, which Mooncake's evictor needs to make room.
   *
   * @throws StoreException {@code TIMEOUT} if the deadline comes first
   */
  void pause(String what, Deadline deadline) throws StoreException {
    long millis = ThreadLocalRandom.current().nextInt(SHORTEST_PAUSE, LONGEST_PAUSE + 1);
    if (deadline.remaining().toMillis() <= millis) {
      throw new StoreException(Kind.TIMEOUT, what + ": the deadline leaves no time to try again");
    }
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException(Kind.TIMEOUT, what + ": interrupted", e);
    }
  }
}

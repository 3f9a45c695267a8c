package io.kvasir.conformance.wrap;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets lookups, loads, saves and removals of blocks fail by a plan with a seed. What it did is
 * counted. Safe for several threads, as far as the store is; with several threads the seed does not
 * say which of their calls fails.
 */
public final class FaultyStore extends ForwardingStore {
  private final SplittableRandom random;
  private final Map<Fault, Integer> perMille;
  private final Map<Fault, Integer> done = new EnumMap<>(Fault.class);

  /**
   * Stands before a store.
   *
   * @param seed of the chance
   * @param perMille how often each fault happens where it can, of a thousand calls
   */
  public FaultyStore(Store store, long seed, Map<Fault, Integer> perMille) {
    super(store);
    this.random = new SplittableRandom(seed);
    this.perMille = Map.copyOf(perMille);
  }

  /** {@return how often each fault happened} */
  public synchronized Map<Fault, Integer> done() {
    return Map.copyOf(done);
  }

  private synchronized boolean now(Fault fault) {
    boolean now = random.nextInt(1000) < perMille.getOrDefault(fault, 0);
    if (now) {
      done.merge(fault, 1, Integer::sum);
    }
    return now;
  }

  @Override
  public NamespaceStore open(NamespaceManifest manifest) throws StoreException {
    return new Faulty(store().open(manifest));
  }

  private final class Faulty extends ForwardingNamespace {
    Faulty(NamespaceStore namespace) {
      super(namespace);
    }

    @Override
    public BlockLease lookup(BlockKeys keys, Deadline deadline) throws StoreException {
      before(deadline);
      BlockLease lease = super.lookup(keys, deadline);
      if (now(Fault.LOSES_THE_ANSWER)) {
        lease.close();
        throw lost();
      }
      return lease;
    }

    @Override
    public void load(BlockLease lease, Blocks into, Deadline deadline) {
      if (ended(into, deadline)) {
        return;
      }
      super.load(lease, into, deadline);
      boolean flipped = now(Fault.FLIPS_A_BIT);
      boolean half = now(Fault.READS_HALF);
      for (int i = 0; i < into.count(); i++) {
        if (into.status(i) == BlockStatus.OK) {
          spoil(into.frame(i).payload(), flipped, half);
        }
      }
      if (now(Fault.LOSES_THE_ANSWER)) {
        all(into, BlockStatus.IO, lost());
      }
    }

    @Override
    public void save(Blocks from, Deadline deadline) {
      if (ended(from, deadline)) {
        return;
      }
      if (now(Fault.DROPS)) {
        all(from, BlockStatus.OK, null);
        return;
      }
      super.save(from, deadline);
      if (now(Fault.LOSES_THE_ANSWER)) {
        all(from, BlockStatus.IO, lost());
      }
    }

    @Override
    public void remove(BlockKeys keys, Deadline deadline) throws StoreException {
      before(deadline);
      super.remove(keys, deadline);
      if (now(Fault.LOSES_THE_ANSWER)) {
        throw lost();
      }
    }

    /** {@return whether the call is over before it began} */
    private boolean ended(Blocks blocks, Deadline deadline) {
      try {
        before(deadline);
      } catch (StoreException e) {
        boolean late = e.kind() == Kind.TIMEOUT;
        all(blocks, late ? BlockStatus.TIMEOUT : BlockStatus.IO, e);
        return true;
      }
      return now(Fault.SAYS_NOTHING);
    }

    private void before(Deadline deadline) throws StoreException {
      if (now(Fault.THROWS)) {
        throw new IllegalStateException("by plan: an exception that no method declares");
      }
      if (now(Fault.FAILS)) {
        throw new StoreException(Kind.IO, "by plan: fails before it does anything");
      }
      if (now(Fault.HANGS)) {
        while (!deadline.expired() && !Thread.currentThread().isInterrupted()) {
          LockSupport.parkNanos(deadline.remainingNanos());
        }
        throw new StoreException(Kind.TIMEOUT, "by plan: hangs until its deadline");
      }
    }
  }

  private static StoreException lost() {
    return new StoreException(Kind.IO, "by plan: done, and the answer is lost");
  }

  private static void all(Blocks blocks, BlockStatus status, Throwable cause) {
    for (int i = 0; i < blocks.count(); i++) {
      blocks.set(i, status, cause);
    }
  }

  private static void spoil(MemorySegment payload, boolean flipped, boolean half) {
    if (flipped) {
      byte first = payload.get(ValueLayout.JAVA_BYTE, 0);
      payload.set(ValueLayout.JAVA_BYTE, 0, (byte) (first ^ 0x10));
    }
    if (half) {
      payload.asSlice(payload.byteSize() / 2).fill((byte) 0);
    }
  }
}

package io.kvasir.conformance.engine;

import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.conformance.wrap.ForwardingNamespace;
import io.kvasir.conformance.wrap.ForwardingStore;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A store whose calls misbehave now and then: they throw what nobody declared, come back long after
 * their deadline with the frames filled, or leave blocks without a status. It also counts the
 * pieces of frames that it was given and not asked to forget.
 */
public final class UnrulyStore extends ForwardingStore {
  private final int perMille;
  private final SplittableRandom random;
  private final Set<MemorySegment> pieces = ConcurrentHashMap.newKeySet();

  /**
   * Wraps a store.
   *
   * @param perMille chance of each kind of misbehaviour per call
   */
  public UnrulyStore(Store store, long seed, int perMille) {
    super(store);
    this.perMille = perMille;
    this.random = new SplittableRandom(seed);
  }

  /** {@return the pieces of frames that are registered} */
  public int pieces() {
    return pieces.size();
  }

  private synchronized boolean chance() {
    return random.nextInt(1000) < perMille;
  }

  /** {@return the deadline to go on with, after what went wrong} */
  private Deadline before(Deadline deadline) {
    if (chance()) {
      throw new IllegalStateException("by plan: an exception that no method declares");
    }
    if (chance()) {
      long late = Math.min(deadline.remainingNanos(), 50_000_000L) + 20_000_000L;
      LockSupport.parkNanos(late);
      return Deadline.after(Duration.ofSeconds(1)); // and now it does what it was asked to
    }
    return deadline;
  }

  @Override
  public NamespaceStore open(NamespaceManifest manifest) throws StoreException {
    return new Unruly(store().open(manifest));
  }

  @Override
  public void remove(NamespaceId namespace, Deadline deadline) throws StoreException {
    store().remove(namespace, before(deadline));
  }

  @Override
  public FrameSource frames() {
    FrameSource frames = store().frames();
    return new FrameSource() {
      @Override
      public long alignment() {
        return frames.alignment();
      }

      @Override
      public long frameBytes(long payloadBytes) {
        return frames.frameBytes(payloadBytes);
      }

      @Override
      public long pieceBytes() {
        return frames.pieceBytes();
      }

      @Override
      public void register(MemorySegment piece) throws StoreException {
        frames.register(piece);
        pieces.add(piece);
      }

      @Override
      public void unregister(MemorySegment piece) {
        pieces.remove(piece);
        frames.unregister(piece);
      }
    };
  }

  private final class Unruly extends ForwardingNamespace {
    Unruly(NamespaceStore namespace) {
      super(namespace);
    }

    @Override
    public BlockLease lookup(BlockKeys keys, Deadline deadline) throws StoreException {
      return super.lookup(keys, before(deadline));
    }

    @Override
    public void load(BlockLease lease, Blocks into, Deadline deadline) {
      Deadline then = before(deadline);
      if (!chance()) { // else no block has a status
        super.load(lease, into, then);
      }
    }

    @Override
    public void save(Blocks from, Deadline deadline) {
      Deadline then = before(deadline);
      if (!chance()) {
        super.save(from, then);
      }
    }

    @Override
    public void remove(BlockKeys keys, Deadline deadline) throws StoreException {
      super.remove(keys, before(deadline));
    }
  }
}

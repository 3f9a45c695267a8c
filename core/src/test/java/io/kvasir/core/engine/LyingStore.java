package io.kvasir.core.engine;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.conformance.wrap.ForwardingNamespace;
import io.kvasir.conformance.wrap.ForwardingStore;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;

/** What a connector sees of its store where it does not ask, or does not look. */
final class LyingStore extends ForwardingStore {
  private static final int NOW_AND_THEN = 20;

  private final FlawedConnector.Flaw flaw;
  private final AtomicInteger loads = new AtomicInteger();

  LyingStore(Store store, FlawedConnector.Flaw flaw) {
    super(store);
    this.flaw = flaw;
  }

  /** {@return whether these blocks are taken for present, unasked} */
  private boolean unasked(BlockKeys keys) {
    return switch (flaw) {
      case ASKS_RANK_0_ALONE -> keys.shard() > 0;
      case ASKS_GROUP_0_ALONE -> keys.group() > 0;
      default -> false;
    };
  }

  @Override
  public NamespaceStore open(NamespaceManifest manifest) throws StoreException {
    return new ForwardingNamespace(store().open(manifest)) {
      @Override
      public BlockLease lookup(BlockKeys keys, Deadline deadline) throws StoreException {
        BlockLease lease = super.lookup(keys, deadline);
        return unasked(keys) ? new Present(lease) : lease;
      }

      @Override
      public void load(BlockLease lease, Blocks into, Deadline deadline) {
        super.load(lease instanceof Present p ? p.lease() : lease, into, deadline);
        for (int i = 0; i < into.count(); i++) {
          if (into.status(i) == BlockStatus.OK) {
            flip(into.frame(i).payload());
          } else if (flaw == FlawedConnector.Flaw.TRUSTS_WHAT_WAS_FOUND) {
            into.set(i, BlockStatus.OK);
          }
        }
      }
    };
  }

  private void flip(MemorySegment payload) {
    boolean now =
        flaw == FlawedConnector.Flaw.FLIPS_A_BIT
            || (flaw == FlawedConnector.Flaw.FLIPS_A_BIT_NOW_AND_THEN
                && loads.incrementAndGet() % NOW_AND_THEN == 0);
    if (now) {
      byte first = payload.get(ValueLayout.JAVA_BYTE, 0);
      payload.set(ValueLayout.JAVA_BYTE, 0, (byte) (first ^ 1));
    }
  }

  private record Present(BlockLease lease) implements BlockLease {
    @Override
    public BlockKeys keys() {
      return lease.keys();
    }

    @Override
    public boolean present(int block) {
      return true;
    }

    @Override
    public boolean held() {
      return lease.held();
    }

    @Override
    public boolean renew() {
      return lease.renew();
    }

    @Override
    public void close() {
      lease.close();
    }
  }
}

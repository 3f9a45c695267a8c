package io.kvasir.conformance;

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
import java.lang.foreign.ValueLayout;

/** A store that lacks one block of one group and shard: for lookups, or only once it is loaded. */
final class LackingStore extends ForwardingStore {
  /**
   * A block.
   *
   * @param group id of its group
   * @param shard index of its shard
   * @param block index in its chain
   */
  record Place(int group, int shard, int block) {
    private boolean is(BlockKeys keys, int i) {
      return keys.group() == group && keys.shard() == shard && keys.firstBlock() + i == block;
    }
  }

  private volatile Place notFound = new Place(-1, -1, -1);
  private volatile Place notLoaded = notFound;

  LackingStore(Store store) {
    super(store);
  }

  /** Lacks this block from now on, and no other. */
  void lack(Place place, boolean fromLookup) {
    notFound = fromLookup ? place : new Place(-1, -1, -1);
    notLoaded = place;
  }

  @Override
  public NamespaceStore open(NamespaceManifest manifest) throws StoreException {
    return new ForwardingNamespace(store().open(manifest)) {
      @Override
      public BlockLease lookup(BlockKeys keys, Deadline deadline) throws StoreException {
        return new Lease(super.lookup(keys, deadline), notFound);
      }

      @Override
      public void load(BlockLease lease, Blocks into, Deadline deadline) {
        super.load(((Lease) lease).lease(), into, deadline);
        for (int i = 0; i < into.count(); i++) {
          if (notLoaded.is(into.keys(), i)) {
            into.frame(i).payload().set(ValueLayout.JAVA_BYTE, 0, (byte) 0x66);
            into.set(i, BlockStatus.MISS);
          }
        }
      }
    };
  }

  private record Lease(BlockLease lease, Place lacks) implements BlockLease {
    @Override
    public BlockKeys keys() {
      return lease.keys();
    }

    @Override
    public boolean present(int block) {
      return !lacks.is(keys(), block) && lease.present(block);
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

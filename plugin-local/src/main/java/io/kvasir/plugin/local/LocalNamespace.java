package io.kvasir.plugin.local;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** An open namespace: turns keys and frames into what slabs know. */
final class LocalNamespace implements NamespaceStore {
  private final NamespaceManifest manifest;
  private final Bits128 half;
  private final LocalStore store;
  private final Set<LocalLease> leases = ConcurrentHashMap.newKeySet();
  private volatile BlockStatus ended; // why it does not work any more: null while it does

  LocalNamespace(NamespaceManifest manifest, LocalStore store) {
    this.manifest = manifest;
    this.half = Namespaces.half(manifest.id());
    this.store = store;
  }

  NamespaceId id() {
    return manifest.id();
  }

  NamespaceManifest manifest() {
    return manifest;
  }

  /** Nothing is found from now on: the namespace was removed, or the store is closed. */
  void end(BlockStatus why) {
    ended = why;
  }

  @Override
  public BlockLease lookup(BlockKeys keys, Deadline deadline) throws StoreException {
    checkNamespace(keys);
    checkOpen();
    Slab slab = store.slabs().get(keys.payloadBytes());
    if (ended != null || slab == null) {
      return BlockLease.hint(keys, block -> false);
    }
    long[] prints = Fingerprinter.of(keys);
    LocalLease lease =
        new LocalLease(keys, slab, slab.lookup(prints, LocalLease.expiry()), leases::remove);
    if (lease.held()) { // else there is nothing to let go
      leases.add(lease);
    }
    return lease;
  }

  @Override
  public void load(BlockLease lease, Blocks into, Deadline deadline) {
    BlockKeys keys = into.keys();
    checkNamespace(keys);
    Slab slab = store.slabs().get(keys.payloadBytes());
    if (ended != null || slab == null) {
      into.setRest(ended == BlockStatus.CLOSED ? ended : BlockStatus.MISS, null);
      BlockStatus counted = ended == null ? BlockStatus.CAPACITY : into.status(0);
      for (int i = 0; i < into.count(); i++) {
        store.counters().loaded(counted, keys.payloadBytes(), false);
      }
      return;
    }
    List<Outgoing> blocks = new ArrayList<>(into.count());
    for (int i = 0; i < into.count(); i++) {
      Key key = key(keys, keys.hash(i));
      blocks.add(new Outgoing(key, print(key), slotOf(into.frame(i).memory(), slab)));
    }
    slab.load(blocks, deadline);
    for (int i = 0; i < into.count(); i++) {
      Outgoing block = blocks.get(i);
      if (block.status == BlockStatus.OK
          && block.frame.address() != into.frame(i).memory().address()) {
        into.frame(i).payload().copyFrom(block.frame.asSlice(0, keys.payloadBytes()));
      }
      into.set(i, block.status, block.cause);
      boolean promised = promised(lease, keys, i);
      store.counters().loaded(block.status, keys.payloadBytes(), promised);
    }
  }

  private static boolean promised(BlockLease lease, BlockKeys keys, int block) {
    int asked = keys.firstBlock() + block - lease.keys().firstBlock();
    return asked >= 0 && asked < lease.keys().count() && lease.present(asked);
  }

  @Override
  public void save(Blocks from, Deadline deadline) {
    BlockKeys keys = from.keys();
    checkNamespace(keys);
    if (ended != null) {
      from.setRest(BlockStatus.CLOSED, null);
      return;
    }
    Slab slab = store.slabs().get(keys.payloadBytes());
    if (slab == null) {
      String why = store.slabs().refusal(manifest, keys.group()).orElse("no room");
      from.setRest(BlockStatus.CAPACITY, new StoreException(StoreException.Kind.CAPACITY, why));
      return;
    }
    List<Incoming> blocks = new ArrayList<>(from.count());
    for (int i = 0; i < from.count(); i++) {
      Key key = key(keys, keys.hash(i));
      byte[] parent = keys.parent(i);
      Bits128 parentPrint = parent == null ? Bits128.ZERO : print(key(keys, parent));
      MemorySegment frame = from.frame(i).memory();
      MemorySegment slot = slotOf(frame, slab);
      if (slot.address() != frame.address()) {
        slot.copyFrom(from.frame(i).payload());
      }
      blocks.add(
          new Incoming(
              key,
              print(key),
              parentPrint,
              keys.firstBlock() + i,
              (int) keys.payloadBytes(),
              slot));
    }
    slab.save(blocks, deadline);
    for (int i = 0; i < from.count(); i++) {
      from.set(i, blocks.get(i).status, blocks.get(i).cause);
    }
  }

  /**
   * The frame as a whole slot; memory of our own where it is too small, not aligned, or not native.
   */
  private static MemorySegment slotOf(MemorySegment frame, Slab slab) {
    int slotBytes = slab.header().slotBytes();
    boolean fits =
        frame.isNative()
            && frame.address() % Layout.PAGE == 0
            && frame.byteSize() >= slotBytes
            && !frame.isReadOnly();
    return fits ? frame.asSlice(0, slotBytes) : Layout.pages(slotBytes / Layout.PAGE);
  }

  @Override
  public void remove(BlockKeys keys, Deadline deadline) throws StoreException {
    checkNamespace(keys);
    checkOpen();
    Slab slab = store.slabs().get(keys.payloadBytes());
    if (ended == null && slab != null) {
      BlockStatus status = slab.remove(prints(keys), deadline);
      if (status != BlockStatus.OK) {
        throw Failures.of(status, "the removal of " + keys);
      }
    }
  }

  private void checkOpen() throws StoreException {
    if (ended == BlockStatus.CLOSED) {
      throw new StoreException(
          StoreException.Kind.CLOSED, manifest + " is closed; open the namespace again");
    }
  }

  private void checkNamespace(BlockKeys keys) {
    if (!keys.namespace().id().equals(manifest.id())) {
      throw new IllegalArgumentException(
          "keys of namespace %s at namespace %s".formatted(keys.namespace().id(), manifest.id()));
    }
  }

  private List<Bits128> prints(BlockKeys keys) {
    List<Bits128> prints = new ArrayList<>(keys.count());
    for (int i = 0; i < keys.count(); i++) {
      prints.add(print(key(keys, keys.hash(i))));
    }
    return prints;
  }

  private Key key(BlockKeys keys, byte[] hash) {
    Bits128 first = Bits128.of(hash);
    Bits128 second = Bits128.read(MemorySegment.ofArray(hash), 16);
    return new Key(
        half,
        keys.group(),
        keys.shard(),
        first.first(),
        first.second(),
        second.first(),
        second.second());
  }

  private Bits128 print(Key key) {
    return Namespaces.fingerprint(manifest.id(), key);
  }

  @Override
  public void close() {
    end(BlockStatus.CLOSED);
    leases.forEach(LocalLease::close);
    store.closed(this);
  }
}

package io.kvasir.conformance;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.zip.CRC32C;

/** A namespace of a {@link FlawedStore}. */
final class FlawedNamespace implements NamespaceStore {
  private final FlawedStore store;
  private final FlawedDisk.Named named;
  private final NamespaceId id;
  private final List<FlawedLease> leases = new ArrayList<>();
  private boolean closed;

  FlawedNamespace(FlawedStore store, FlawedDisk.Named named, NamespaceId id) {
    this.store = store;
    this.named = named;
    this.id = id;
  }

  private boolean has(Flaw flaw) {
    return store.has(flaw);
  }

  private void enter(BlockKeys keys, Deadline deadline) throws StoreException {
    if (!keys.namespace().id().equals(id) && !has(Flaw.ACCEPTS_FOREIGN_KEYS)) {
      throw new IllegalArgumentException("keys of " + keys.namespace());
    }
    store.check();
    if (closed && !has(Flaw.WORKS_WHEN_CLOSED)) {
      throw new StoreException(Kind.CLOSED, "closed");
    }
    if (has(Flaw.INTERRUPT_ENDS_THE_STORE)) {
      store.dead |= Thread.currentThread().isInterrupted();
    }
    if (has(Flaw.HANGS_THOUGH_UP)) {
      FlawedStore.pause(deadline.remaining().toMillis() + 1);
    }
    if (store.config.failing() || store.dead) {
      store.failure = "fails";
      if (has(Flaw.THROWS_WHEN_FAILING)) {
        throw new IllegalStateException("fails");
      }
      throw new StoreException(Kind.IO, "fails");
    }
    if (store.config.hanging()) {
      long left = deadline.remaining().toMillis() + 1;
      int times = has(Flaw.GIVES_EACH_BLOCK_THE_WHOLE_TIME) ? keys.count() : 1;
      FlawedStore.pause(has(Flaw.HANGS_BEYOND_THE_DEADLINE) ? 900 : times * left);
      store.failure = "hung";
    }
    if (deadline.expired()) {
      if (has(Flaw.THROWS_ON_A_PASSED_DEADLINE)) {
        throw new IllegalStateException("too late");
      }
      throw new StoreException(Kind.TIMEOUT, "too late");
    }
  }

  private static BlockStatus status(StoreException e) {
    return switch (e.kind()) {
      case CLOSED -> BlockStatus.CLOSED;
      case TIMEOUT -> BlockStatus.TIMEOUT;
      default -> BlockStatus.IO;
    };
  }

  private String key(BlockKeys keys, int block) {
    byte[] hash = keys.hash(block);
    if (has(Flaw.LOSES_THE_SCOPE)) { // the salt, the modifiers and the images are lost
      return "%s %d".formatted(id.hex(), keys.firstBlock() + block);
    }
    return store.key(keys, hash);
  }

  @Override
  public BlockLease lookup(BlockKeys keys, Deadline deadline) throws StoreException {
    synchronized (store) {
      enter(keys, deadline);
      BitSet present = new BitSet();
      List<FlawedDisk.Entry> found = new ArrayList<>();
      for (int i = 0; i < keys.count(); i++) {
        FlawedDisk.Entry entry = named.removed ? null : store.disk.entries.get(key(keys, i));
        if (entry != null) {
          present.set(i);
          found.add(entry);
        } else if (has(Flaw.STOPS_AT_THE_FIRST_MISS)) {
          break;
        } else if (has(Flaw.THROWS_ON_MISS)) {
          throw new StoreException(Kind.IO, "no such block");
        }
      }
      if (store.config.flaw() == Flaw.HINT_CLAIMS_TO_HOLD) {
        return new FlawedLease(this, keys, present, List.of());
      }
      long bytes = found.stream().mapToLong(e -> e.leases > 0 ? 0 : e.bytes.length).sum();
      boolean room = store.leasedBytes() + bytes <= store.config.capacity().bytes() / 2;
      if (!room && !has(Flaw.LEASES_EVERYTHING)) {
        return BlockLease.hint(keys, present);
      }
      found.forEach(e -> e.leases++);
      FlawedLease lease = new FlawedLease(this, keys, present, found);
      leases.add(lease);
      return lease;
    }
  }

  @Override
  public void load(BlockLease lease, Blocks into, Deadline deadline) {
    synchronized (has(Flaw.SHARES_A_BUFFER) ? new Object() : store) {
      try {
        enter(into.keys(), deadline);
        for (int i = 0; i < into.count(); i++) {
          load(lease, into, i);
        }
      } catch (StoreException e) {
        into.setRest(status(e), e);
      }
    }
  }

  private void load(BlockLease lease, Blocks into, int i) {
    BlockKeys keys = has(Flaw.INDEXES_BY_LEASE) ? lease.keys() : into.keys();
    FlawedDisk.Entry entry = store.disk.entries.get(key(keys, i));
    MemorySegment to = into.frame(i).payload();
    if (has(Flaw.TRUSTS_THE_LOOKUP) && entry == null && lease.prefix() == into.count()) {
      into.set(i, BlockStatus.OK); // it was there
    } else if (entry == null || (named.removed && !has(Flaw.LEASE_KEEPS_REMOVED_BLOCKS))) {
      if (!has(Flaw.NO_STATUS_ON_MISS)) {
        into.set(i, BlockStatus.MISS);
      }
    } else {
      int length = has(Flaw.LOADS_HALF) ? entry.bytes.length / 2 : entry.bytes.length;
      byte[] source = entry.bytes;
      store.keep(source);
      if (has(Flaw.SHARES_A_BUFFER)) {
        source = store.buffer;
        System.arraycopy(entry.bytes, 0, source, 0, length);
        FlawedStore.pause(1);
      }
      MemorySegment.copy(source, 0, to, ValueLayout.JAVA_BYTE, 0, length);
      boolean whole = crc(entry.bytes) == entry.crc;
      boolean trusting =
          has(Flaw.TRUSTS_DAMAGED_BYTES)
              || has(Flaw.PUBLISHES_PARTIAL)
              || has(Flaw.KEEPS_FRAMES)
              || has(Flaw.CUT_SAVE_LEAVES_HALF);
      if (!whole && !trusting) {
        into.set(i, BlockStatus.CORRUPT);
        store.drop(key(into.keys(), i));
        return;
      }
      FlawedBytes.spoil(store.config.flaw(), into.frame(i));
      into.set(i, BlockStatus.OK);
    }
  }

  @Override
  public void save(Blocks from, Deadline deadline) {
    try {
      synchronized (store) {
        enter(from.keys(), deadline);
      }
      for (int i = 0; i < from.count(); i++) {
        if (i == 0 || !has(Flaw.DROPS_BATCH_WITH_OLD_BLOCKS) || from.status(i) == null) {
          save(from, i, deadline);
        }
      }
    } catch (StoreException e) {
      if (e.kind() == Kind.TIMEOUT && has(Flaw.CUT_SAVE_LEAVES_HALF)) {
        byte[] half = new byte[(int) from.keys().payloadBytes()];
        store.disk.entries.put(key(from.keys(), 0), new FlawedDisk.Entry(half, 0, null));
      }
      from.setRest(status(e), e);
    }
  }

  private byte[] taken(MemorySegment payload) {
    byte[] bytes = payload.toArray(ValueLayout.JAVA_BYTE);
    if (has(Flaw.TRUSTS_A_FRAMES_ADDRESS)) {
      return store.frames.computeIfAbsent(payload.address(), _ -> bytes);
    }
    if (has(Flaw.ONE_SIZE_PER_NAMESPACE)) {
      named.size = Math.min(named.size, bytes.length);
      return Arrays.copyOf(bytes, named.size);
    }
    return bytes;
  }

  private void save(Blocks from, int i, Deadline deadline) throws StoreException {
    MemorySegment payload = from.frame(i).payload();
    byte[] bytes = taken(payload);
    String parent = store.key(from.keys(), from.keys().parent(i));
    synchronized (store) {
      enter(from.keys(), deadline);
      String key = key(from.keys(), i);
      boolean there = store.disk.entries.containsKey(key);
      if (there && has(Flaw.DROPS_BATCH_WITH_OLD_BLOCKS)) {
        from.setRest(BlockStatus.OK, null);
        return;
      }
      boolean known =
          (has(Flaw.REMEMBERS_THE_EVICTED) && store.evicted.contains(key))
              || store.removed.remove(key)
              || store.saving.contains(key);
      if ((there && !has(Flaw.OVERWRITES)) || known) {
        from.set(i, BlockStatus.OK);
        return;
      }
      if (has(Flaw.ACKNOWLEDGES_THE_FIRST_WRITERS_BLOCK)) {
        store.saving.add(key);
        store.awaitAnother(); // lets others in
        store.saving.remove(key);
      }
      boolean orphan = parent != null && !store.disk.entries.containsKey(parent);
      boolean keyed =
          !has(Flaw.LOSES_THE_SCOPE)
              && !has(Flaw.PUBLISHES_ORPHANS)
              && !has(Flaw.STOPS_AT_THE_FIRST_MISS);
      if (orphan && keyed) {
        from.set(i, BlockStatus.CAPACITY);
        return;
      }
      if (!there && !store.makeRoom(bytes.length, parent)) {
        from.set(i, BlockStatus.CAPACITY);
        return;
      }
      byte[] kept = has(Flaw.PUBLISHES_PARTIAL) ? new byte[bytes.length] : bytes;
      int crc = crc(bytes);
      store.disk.entries.put(key, new FlawedDisk.Entry(kept, crc, parent));
      FlawedBytes.keep(store.config.flaw(), from.frame(i), kept);
      from.set(i, BlockStatus.OK);
      if (!has(Flaw.PUBLISHES_PARTIAL)) {
        return;
      }
      System.arraycopy(bytes, 0, kept, 0, bytes.length / 2);
    }
    FlawedStore.pause(3);
    synchronized (store) {
      System.arraycopy(
          bytes, 0, store.disk.entries.get(key(from.keys(), i)).bytes, 0, bytes.length);
    }
  }

  @Override
  public void remove(BlockKeys keys, Deadline deadline) throws StoreException {
    synchronized (store) {
      enter(keys, deadline);
      for (int i = 0; i < keys.count() && !has(Flaw.REMOVES_NOTHING); i++) {
        boolean absent = !store.disk.entries.containsKey(key(keys, i));
        if (absent && has(Flaw.REMEMBERS_THE_REMOVED)) {
          store.removed.add(key(keys, i));
        }
        store.drop(key(keys, i));
        if (has(Flaw.REMOVES_THE_WHOLE_NAMESPACE)) {
          store.disk.entries.keySet().removeIf(k -> k.startsWith(id.hex()));
        }
      }
    }
  }

  @Override
  public void close() {
    synchronized (store) {
      if (has(Flaw.CLOSES_ALL_OF_A_NAMESPACE)) {
        store.open.forEach(n -> n.closed |= n.id.equals(id));
      }
      if (!has(Flaw.LEASE_OUTLIVES_NAMESPACE)) {
        end();
      }
      closed = true;
    }
  }

  FlawedStore store() {
    return store;
  }

  void ended(FlawedLease lease) {
    leases.remove(lease);
    if (has(Flaw.FIRST_CLOSE_ENDS_ALL_LEASES)) {
      end();
    }
  }

  void end() {
    List.copyOf(leases).forEach(FlawedLease::close);
  }

  private int crc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, has(Flaw.PROVES_THE_FIRST_HALF_ALONE) ? bytes.length / 2 : bytes.length);
    return (int) crc.getValue();
  }
}

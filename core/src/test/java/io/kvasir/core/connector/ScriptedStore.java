package io.kvasir.core.connector;

import io.kvasir.api.BlockStatus;
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
import io.kvasir.api.store.StoreHealth;
import io.kvasir.api.store.TransferPath;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A store in memory whose calls do what a test says, before or instead of their work. */
final class ScriptedStore implements Store {
  /** Done at the begin of a call, on the worker. */
  interface Hook<T> {
    void at(T call) throws Exception;
  }

  final Map<String, byte[]> blocks = new ConcurrentHashMap<>();
  final Map<NamespaceId, AtomicInteger> opened = new ConcurrentHashMap<>();
  final AtomicInteger lookups = new AtomicInteger();
  final AtomicInteger loads = new AtomicInteger();
  final AtomicInteger saves = new AtomicInteger();
  final AtomicInteger leases = new AtomicInteger();
  final AtomicInteger given = new AtomicInteger(); // leases, those that are closed included
  final AtomicInteger renewals = new AtomicInteger();
  final AtomicInteger openViews = new AtomicInteger();
  final List<String> order = java.util.Collections.synchronizedList(new ArrayList<>());
  volatile Hook<NamespaceManifest> onOpen = _ -> {};
  volatile Hook<BlockKeys> onLookup = _ -> {};
  volatile Hook<Blocks> onLoad = _ -> {};
  volatile Hook<Blocks> afterLoad = _ -> {};
  volatile Hook<Blocks> onSave = _ -> {};
  volatile FrameSource frames = FrameSource.HOST;
  volatile List<TransferPath> paths = List.of();
  volatile StoreHealth health = StoreHealth.up("in memory");

  static String key(BlockKeys keys, int block) {
    return keys.flatKey(block);
  }

  long count(NamespaceManifest namespace) {
    String prefix = "kv1:" + namespace.id().prefix();
    return blocks.keySet().stream().filter(k -> k.startsWith(prefix)).count();
  }

  private static <T> void run(Hook<T> hook, T call) throws StoreException {
    try {
      hook.at(call);
    } catch (StoreException e) {
      throw e;
    } catch (Exception e) {
      sneak(e);
    }
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void sneak(Throwable e) throws E {
    throw (E) e;
  }

  @Override
  public NamespaceStore open(NamespaceManifest manifest) throws StoreException {
    run(onOpen, manifest);
    opened.computeIfAbsent(manifest.id(), _ -> new AtomicInteger()).incrementAndGet();
    openViews.incrementAndGet();
    return new View();
  }

  @Override
  public StoreHealth health() {
    return health;
  }

  @Override
  public FrameSource frames() {
    return frames;
  }

  @Override
  public List<TransferPath> transferPaths() {
    return paths;
  }

  @Override
  public void close() {}

  private final class View implements NamespaceStore {
    private boolean closed;

    @Override
    public BlockLease lookup(BlockKeys keys, Deadline deadline) throws StoreException {
      lookups.incrementAndGet();
      run(onLookup, keys);
      BitSet present = new BitSet();
      for (int i = 0; i < keys.count(); i++) {
        present.set(i, blocks.containsKey(key(keys, i)));
      }
      leases.incrementAndGet();
      given.incrementAndGet();
      return new Lease(keys, present);
    }

    @Override
    public void load(BlockLease lease, Blocks into, Deadline deadline) {
      loads.incrementAndGet();
      order.add("load " + into.keys().firstBlock());
      quietly(onLoad, into);
      for (int i = 0; i < into.count(); i++) {
        if (into.status(i) == null) {
          byte[] bytes = blocks.get(key(into.keys(), i));
          if (bytes != null) {
            MemorySegment.copy(
                bytes, 0, into.frame(i).memory(), ValueLayout.JAVA_BYTE, 0, bytes.length);
          }
          into.set(i, bytes == null ? BlockStatus.MISS : BlockStatus.OK);
        }
      }
      quietly(afterLoad, into);
    }

    @Override
    public void save(Blocks from, Deadline deadline) {
      saves.incrementAndGet();
      order.add("save " + from.keys().firstBlock());
      quietly(onSave, from);
      for (int i = 0; i < from.count(); i++) {
        if (from.status(i) == null) {
          byte[] bytes = from.frame(i).payload().toArray(ValueLayout.JAVA_BYTE);
          blocks.putIfAbsent(key(from.keys(), i), bytes);
          from.set(i, BlockStatus.OK);
        }
      }
    }

    private void quietly(Hook<Blocks> hook, Blocks call) {
      try {
        run(hook, call);
      } catch (StoreException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public synchronized void close() {
      if (!closed) {
        closed = true;
        openViews.decrementAndGet();
      }
    }
  }

  private final class Lease implements BlockLease {
    private final BlockKeys keys;
    private final BitSet present;
    private boolean closed;

    Lease(BlockKeys keys, BitSet present) {
      this.keys = keys;
      this.present = present;
    }

    @Override
    public BlockKeys keys() {
      return keys;
    }

    @Override
    public boolean present(int block) {
      return present.get(block);
    }

    @Override
    public synchronized boolean held() {
      return !closed;
    }

    @Override
    public boolean renew() {
      renewals.incrementAndGet();
      return held();
    }

    @Override
    public synchronized void close() {
      if (!closed) {
        closed = true;
        leases.decrementAndGet();
      }
    }
  }
}

package io.kvasir.plugin.mooncake;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;
import java.util.BitSet;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** An open namespace: what is asked, and what the answers mean. */
final class MooncakeNamespace implements NamespaceStore {
  private final NamespaceManifest manifest;
  private final Naming naming;
  private final Cluster cluster;
  private final Leases leases;
  private final Consumer<MooncakeNamespace> left;
  private volatile boolean removed;

  /**
   * @param left told when the namespace is closed
   */
  MooncakeNamespace(
      NamespaceManifest manifest,
      Naming naming,
      Cluster cluster,
      Leases leases,
      Consumer<MooncakeNamespace> left) {
    this.manifest = manifest;
    this.naming = naming;
    this.cluster = cluster;
    this.leases = leases;
    this.left = left;
  }

  NamespaceManifest manifest() {
    return manifest;
  }

  Naming naming() {
    return naming;
  }

  /** Nothing is found from now on, and nothing saved. */
  void removed() {
    removed = true;
    leases.endAll(this);
  }

  @Override
  public BlockLease lookup(BlockKeys keys, Deadline deadline) throws StoreException {
    if (removed || keys.count() == 0) {
      return BlockLease.hint(keys, new BitSet());
    }
    return leases.take(this, keys, ask(keys, deadline));
  }

  /**
   * {@return which of the blocks can be read now}, asked with one call; Mooncake leases them.
   *
   * @throws StoreException {@code UNAVAILABLE} if the master answered for none
   */
  BitSet ask(BlockKeys keys, Deadline deadline) throws StoreException {
    String what = "the lookup of " + keys;
    int[] all = IntStream.range(0, keys.count()).toArray(); // a question may be asked twice
    long[] codes = cluster.call(what, deadline, null, calls(keys).exist(all, all.length));
    if (Codes.isOutage(codes)) {
      throw Codes.failure(what, codes[0]);
    }
    BitSet present = new BitSet(keys.count());
    for (int i = 0; i < keys.count(); i++) {
      present.set(i, codes[i] == 1);
    }
    return present;
  }

  private KeyCalls calls(BlockKeys keys) {
    return new KeyCalls(cluster, naming, keys);
  }

  @Override
  public void load(BlockLease lease, Blocks into, Deadline deadline) {
    if (removed) {
      into.setRest(BlockStatus.MISS, null);
    } else {
      new Loading(cluster, naming, into, deadline).run();
    }
    for (int i = 0; i < into.count(); i++) {
      cluster.metrics().loaded(into.status(i), into.keys().payloadBytes());
    }
  }

  @Override
  public void save(Blocks from, Deadline deadline) {
    if (removed) {
      from.setRest(
          BlockStatus.CLOSED,
          new StoreException(Kind.CLOSED, manifest + " was removed; open it again"));
    } else {
      new Saving(cluster, naming, from, deadline).run();
    }
    for (int i = 0; i < from.count(); i++) {
      cluster.metrics().saved(from.status(i), from.keys().payloadBytes());
    }
  }

  /** Leased or not; a block that somebody is writing is waited for. */
  @Override
  public void remove(BlockKeys keys, Deadline deadline) throws StoreException {
    if (naming instanceof Naming.Lmdeploy) {
      throw new StoreException(
          Kind.UNSUPPORTED,
          manifest + " is what LMDeploy engines wrote; let them remove it, or use \"strict\"");
    }
    Distinct distinct = Distinct.of(keys);
    String what = "the removal of " + keys;
    int[] blocks = distinct.blocks();
    int count = distinct.count();
    while (count > 0) {
      long[] codes = cluster.call(what, deadline, null, calls(keys).removal(blocks, count));
      int again = 0;
      for (int i = 0; i < count; i++) {
        if (codes[i] == Codes.REPLICA_IS_NOT_READY) {
          blocks[again++] = blocks[i];
        } else if (codes[i] != Codes.OK && codes[i] != Codes.OBJECT_NOT_FOUND) {
          throw Codes.failure(what, codes[i]);
        }
      }
      count = again;
      if (count > 0) {
        cluster.pause(what + ", which somebody is writing", deadline);
      }
    }
  }

  @Override
  public void close() {
    leases.endAll(this);
    left.accept(this);
  }
}

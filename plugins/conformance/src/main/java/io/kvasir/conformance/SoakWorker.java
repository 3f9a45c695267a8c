package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.Frame;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;

/** One of the callers of a soak: does anything, at random, and holds a few leases meanwhile. */
final class SoakWorker implements AutoCloseable {
  /** Of a text, at the most. */
  static final int BLOCKS = 8;

  private static final int LEASES = 3;

  private final StoreBench bench;
  private final List<NamespaceManifest> manifests;
  private final int texts;
  private final SoakTally tally;
  private final SplittableRandom random;
  private final List<NamespaceStore> open = new ArrayList<>();
  private final List<List<Frame>> frames = new ArrayList<>();
  private final Deque<BlockLease> held = new ArrayDeque<>();

  SoakWorker(
      StoreBench bench, List<NamespaceManifest> manifests, int texts, int number, SoakTally tally)
      throws StoreException {
    this.bench = bench;
    this.manifests = manifests;
    this.texts = texts;
    this.tally = tally;
    this.random = Seed.random("soak " + number);
    for (NamespaceManifest manifest : manifests) {
      open.add(bench.store().open(manifest));
      frames.add(bench.frames().frames(BLOCKS, manifest.payloadBytes(0)));
    }
  }

  /** Does one thing; a failure that is said is counted, and breaks no rule. */
  void step() throws StoreException {
    int n = random.nextInt(manifests.size());
    NamespaceManifest manifest = manifests.get(n);
    int text = (int) Math.abs(random.nextGaussian() * texts / 3) % texts; // some come more often
    BlockKeys keys = Chains.keys(manifest, text, 1 + random.nextInt(BLOCKS));
    tally.called();
    try {
      switch (random.nextInt(40)) {
        case 0 -> again(n);
        case 1 -> remove(open.get(n), keys);
        case 2, 3, 4 -> hold(open.get(n), keys);
        case 5 -> look();
        case 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 -> save(open.get(n), manifest, text);
        default -> load(open.get(n), keys, frames.get(n));
      }
    } catch (StoreException e) {
      switch (e.kind()) {
        case IO, TIMEOUT, UNAVAILABLE -> tally.failed();
        default -> throw e;
      }
    }
  }

  private void again(int n) throws StoreException {
    NamespaceStore another = bench.store().open(manifests.get(n));
    open.set(n, another).close();
  }

  private void remove(NamespaceStore namespace, BlockKeys keys) throws StoreException {
    if (bench.claims().scopedDelete()) {
      namespace.remove(keys, StoreBench.soon());
    }
  }

  /** Looks up without a load, as a request that is given up does. */
  private void hold(NamespaceStore namespace, BlockKeys keys) throws StoreException {
    held.addLast(namespace.lookup(keys, StoreBench.soon()));
    if (held.size() > LEASES) {
      BlockLease oldest = held.removeFirst();
      oldest.close();
      oldest.close();
    } else {
      held.getFirst().renew();
    }
  }

  private void look() throws StoreException {
    bench.store().health();
    bench.store().metrics();
  }

  /** Saves a text whole. */
  void save(NamespaceStore namespace, NamespaceManifest manifest, int text) {
    BlockKeys keys = Chains.keys(manifest, text, BLOCKS);
    Blocks blocks = new Blocks(keys, frames.get(manifests.indexOf(manifest)));
    for (int i = 0; i < BLOCKS; i++) {
      Payload.fill(blocks.frame(i).payload(), StoreBench.number(keys, i));
    }
    namespace.save(blocks, StoreBench.soon());
    ended(blocks, BlockStatus.CAPACITY);
    tally.saved(blocks);
  }

  private void load(NamespaceStore namespace, BlockKeys keys, List<Frame> of)
      throws StoreException {
    Blocks blocks = new Blocks(keys, of.subList(0, keys.count()));
    try (BlockLease lease = namespace.lookup(keys, StoreBench.soon())) {
      namespace.load(lease, blocks, StoreBench.soon());
      ended(blocks, BlockStatus.MISS);
      StoreBench.compare(blocks);
    }
    tally.loaded(blocks);
  }

  private void ended(Blocks blocks, BlockStatus allowed) {
    StoreBench.allHaveStatus(blocks);
    boolean failed = false;
    for (int i = 0; i < blocks.count(); i++) {
      BlockStatus status = blocks.status(i);
      failed |= status == BlockStatus.IO || status == BlockStatus.TIMEOUT;
      assertTrue(
          failed || status == BlockStatus.OK || status == allowed, "a block ended " + blocks);
    }
    if (failed) {
      tally.failed();
    }
  }

  @Override
  public void close() {
    held.forEach(BlockLease::close);
    open.forEach(NamespaceStore::close);
  }
}

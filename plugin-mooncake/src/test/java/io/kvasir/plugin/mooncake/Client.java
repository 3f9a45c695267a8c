package io.kvasir.plugin.mooncake;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.conformance.Chains;
import io.kvasir.conformance.Manifests;
import io.kvasir.conformance.Payload;
import io.kvasir.conformance.StoreBench;
import io.kvasir.conformance.TestContext;
import io.kvasir.conformance.TestFrames;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/** An open store with one namespace, whose blocks follow from their keys. */
final class Client implements AutoCloseable {
  static final long BLOCK = 64 << 10;

  final Store store;
  final NamespaceManifest manifest;
  final NamespaceStore namespace;
  final TestFrames frames;
  private final String master;

  Client(Settings settings) throws StoreException {
    this(settings, Manifests.of("team", BLOCK));
  }

  Client(Settings settings, NamespaceManifest manifest) throws StoreException {
    this.store = new MooncakeProvider().open(new TestContext(settings.config()));
    this.master = settings.master.orElseThrow();
    this.manifest = manifest;
    this.namespace = store.open(manifest);
    this.frames = new TestFrames(store.frames());
  }

  BlockKeys keys(int text, int blocks) {
    return Chains.keys(manifest, text, blocks);
  }

  Blocks empty(BlockKeys keys) {
    return new Blocks(keys, frames.frames(keys.count(), keys.payloadBytes()));
  }

  Blocks filled(BlockKeys keys) {
    Blocks blocks = empty(keys);
    for (int i = 0; i < keys.count(); i++) {
      Payload.fill(blocks.frame(i).payload(), StoreBench.number(keys, i));
    }
    return blocks;
  }

  Blocks save(BlockKeys keys) {
    return save(keys, in(10_000));
  }

  Blocks save(BlockKeys keys, Deadline deadline) {
    Blocks blocks = filled(keys);
    namespace.save(blocks, deadline);
    StoreBench.allHaveStatus(blocks);
    return blocks;
  }

  /** Loads without a lookup, and compares what is OK. */
  Blocks load(BlockKeys keys, Deadline deadline) {
    Blocks blocks = empty(keys);
    namespace.load(BlockLease.hint(keys, _ -> true), blocks, deadline);
    StoreBench.allHaveStatus(blocks);
    StoreBench.compare(blocks);
    return blocks;
  }

  Blocks load(BlockKeys keys) {
    return load(keys, in(10_000));
  }

  /** {@return the same frames for another call} */
  Blocks again(Blocks blocks) {
    return new Blocks(
        blocks.keys(), IntStream.range(0, blocks.count()).mapToObj(blocks::frame).toList());
  }

  /** {@return the master that it is a client of} */
  String master() {
    return master;
  }

  int found(BlockKeys keys) throws StoreException {
    try (BlockLease lease = namespace.lookup(keys, in(10_000))) {
      return (int) IntStream.range(0, keys.count()).filter(lease::present).count();
    }
  }

  long metric(String name) {
    return store.metrics().get(name);
  }

  static void all(BlockStatus status, Blocks blocks) {
    StoreBench.all(status, blocks);
  }

  static int count(BlockStatus status, Blocks blocks) {
    return (int) IntStream.range(0, blocks.count()).filter(i -> blocks.status(i) == status).count();
  }

  static Deadline in(long millis) {
    return Deadline.after(Duration.ofMillis(millis));
  }

  /** Waits until nobody uses the frames of a call that has returned. */
  static void awaitFree(Blocks... all) throws InterruptedException {
    for (Blocks blocks : all) {
      CountDownLatch free = new CountDownLatch(1);
      blocks.whenFree(free::countDown);
      assertEquals(
          true, free.await(100, java.util.concurrent.TimeUnit.SECONDS), "frames come back");
    }
  }

  /** Waits for something that happens by itself; the real library may hold a call for a minute. */
  static void until(String what, Condition condition) throws Exception {
    Duration most = Duration.ofSeconds(Rig.REAL ? 100 : 20);
    long end = System.nanoTime() + most.toNanos();
    while (!condition.holds()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("not within " + most + ": " + what);
      }
      Thread.sleep(5);
    }
  }

  /** Something that is done. */
  @FunctionalInterface
  interface Action {
    void run() throws Exception;
  }

  /** What is waited for. */
  @FunctionalInterface
  interface Condition {
    boolean holds() throws Exception;
  }

  @Override
  public void close() throws StoreException {
    namespace.close();
    store.close();
    frames.close();
  }
}

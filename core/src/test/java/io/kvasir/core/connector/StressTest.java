package io.kvasir.core.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Fence;
import io.kvasir.api.KvRequest;
import io.kvasir.api.LoadResult;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.PrefixMatch;
import io.kvasir.api.Transfer;
import io.kvasir.api.WeightUpdate;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.identity.Weights;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.junit.jupiter.api.Test;

/** Engines, a store that misbehaves and weight updates at once: never a wrong byte, no leak. */
final class StressTest {
  private static final int BLOCKS = 8;
  private static final int CANARY = 0x7f;
  private final ScriptedStore store = new ScriptedStore();
  private final ReentrantReadWriteLock beginning = new ReentrantReadWriteLock();
  private final AtomicLong hits = new AtomicLong();
  private final AtomicInteger calls = new AtomicInteger();
  private final List<Throwable> wrong = new ArrayList<>();

  private static byte value(NamespaceId namespace, String salt, int block) {
    return (byte) (31 * (31 * namespace.hashCode() + salt.hashCode()) + block);
  }

  private void misbehave(long most) throws InterruptedException {
    int call = calls.incrementAndGet();
    if (call % 7 == 0) {
      Thread.sleep(1 + call % most);
    }
    if (call % 23 == 0) {
      throw new IllegalStateException("call " + call);
    }
    if (call % 101 == 0) {
      throw new StackOverflowError("call " + call);
    }
  }

  @Test
  void enginesNeverSeeAWrongByteNorLoseTheirMemory() throws InterruptedException {
    long seed = System.nanoTime();
    Bench.Settings settings = Bench.settings();
    settings.frames = 64L * Bench.BLOCK;
    settings.failures = 20;
    settings.breaker = Duration.ofMillis(5);
    settings.failedLoad = Duration.ofMillis(5);
    settings.save = Duration.ofMillis(50);
    store.onLookup = _ -> misbehave(5);
    store.onLoad = _ -> misbehave(20);
    store.afterLoad = _ -> misbehave(3);
    store.onSave = _ -> misbehave(20);
    Said said = new Said();
    try (Connector connector =
        Connector.open(settings.build(), store, Bench.DEPLOYMENT, Bench.STRICT, true, said)) {
      List<Thread> engines = new ArrayList<>();
      for (int e = 0; e < 3; e++) {
        SplittableRandom random = new SplittableRandom(seed + e);
        engines.add(Thread.ofPlatform().start(() -> engine(connector, random)));
      }
      for (int u = 0; u < 6; u++) {
        Thread.sleep(100);
        update(connector, u);
      }
      for (Thread engine : engines) {
        engine.join();
      }
      assertEquals(List.of(), wrong, "seed " + seed);
      assertTrue(hits.get() > 30, "hits " + hits);
      connector.poll(c -> {});
      Bench.until("idle " + connector.gauges(), () -> connector.gauges().idle());
    }
    assertEquals(0, store.leases.get());
    assertEquals(0, store.openViews.get());
    assertTrue(
        said.messages.stream().noneMatch(m -> m.contains("a job of")), said.messages::toString);
  }

  private void update(Connector connector, int number) {
    WeightUpdate update = connector.beginWeightUpdate(Bench.in(number % 3 == 0 ? 1 : 1000));
    beginning.writeLock().lock();
    try (update) {
      update.commit(Weights.full("run", "step-" + number % 4));
    } finally {
      beginning.writeLock().unlock();
    }
  }

  private void engine(Connector connector, SplittableRandom random) {
    PagedBlocks memory = Bench.memory(BLOCKS, 0);
    try {
      for (int i = 0; i < 300; i++) {
        step(connector, memory, random);
      }
    } catch (Throwable t) {
      synchronized (wrong) {
        wrong.add(t);
      }
    }
  }

  private void step(Connector connector, PagedBlocks memory, SplittableRandom random) {
    String salt = "user " + random.nextInt(6);
    KvRequest request;
    NamespaceId namespace;
    beginning.readLock().lock();
    try {
      namespace = connector.namespace().id();
      request =
          connector.request(RequestScope.salted(salt), Bench.prompt(BLOCKS * Bench.TOKENS + 1));
    } finally {
      beginning.readLock().unlock();
    }
    try (request) {
      Bench.segment(memory).fill((byte) CANARY);
      int blocks = load(request, memory, random) / Bench.TOKENS;
      for (int b = 0; b < blocks; b++) {
        assertTrue(Bench.untouched(memory, b, value(namespace, salt, b)), "wrong byte in " + b);
      }
      hits.addAndGet(blocks);
      for (int b = 0; b < BLOCKS; b++) {
        MemorySegment whole = Bench.segment(memory);
        whole.asSlice((long) b * Bench.BLOCK, Bench.BLOCK).fill(value(namespace, salt, b));
      }
      Transfer<?> save = request.save(memory, Fence.none());
      if (random.nextInt(4) == 0) {
        save.cancel();
      }
      var _ = save.await(Bench.soon());
    }
    Bench.segment(memory).fill((byte) CANARY);
    if (random.nextInt(8) == 0) {
      LockSupport.parkNanos(100_000);
    }
    for (int b = 0; b < BLOCKS; b++) {
      assertTrue(Bench.untouched(memory, b, CANARY), "memory that is the engine's was written");
    }
  }

  private static int load(KvRequest request, PagedBlocks memory, SplittableRandom random) {
    PrefixMatch match =
        request.lookup().await(random.nextInt(10) == 0 ? Bench.in(1) : Bench.soon());
    if (match.status() != BlockStatus.OK) {
      return 0;
    }
    Transfer<LoadResult> load = request.load(match, memory);
    if (random.nextInt(6) == 0) {
      load.cancel();
    }
    return load.await(random.nextInt(6) == 0 ? Bench.in(1) : Bench.soon()).tokens();
  }
}

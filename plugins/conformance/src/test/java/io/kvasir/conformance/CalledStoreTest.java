package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.ByteSize;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.FrameSource;
import io.kvasir.conformance.speed.CalledStore;
import io.kvasir.conformance.speed.Callers;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing that a store left undone is measured as if it were done. */
class CalledStoreTest {
  private static final int BATCH = 4;
  private static final long BLOCK = 4096;
  private static final long PATIENCE = 10; // seconds; nobody waits so long unless it is broken

  @TempDir Path directory;
  private final TestFrames frames = new TestFrames(new FrameSource() {});

  @AfterEach
  void endFrames() {
    frames.close();
  }

  private CalledStore called(Flaw flaw, boolean failing) throws Exception {
    FlawedStore.Config config =
        new FlawedStore.Config(directory, new ByteSize(8 << 20), flaw, failing, false);
    return new CalledStore(
        new FlawedStore(config, new FlawedDisk()),
        frames.frames(CalledStore.CALLERS * BATCH, BLOCK));
  }

  private Callers callers() {
    return new Callers(
        IntStream.range(0, CalledStore.CALLERS)
            .mapToObj(_ -> frames.frames(BATCH, BLOCK))
            .toList());
  }

  private static List<BlockKeys> batches(int count) {
    return IntStream.range(0, count)
        .mapToObj(text -> Chains.keys(Manifests.of("bench", BLOCK), text, BATCH))
        .toList();
  }

  @Test
  void whatIsPutIsGotAndFound() throws Exception {
    try (CalledStore called = called(Flaw.NONE, false)) {
      List<BlockKeys> prompts = called.prompts(7);
      assertEquals(7, prompts.stream().distinct().count());
      called.put(prompts);
      called.get(prompts);
      called.find(prompts);
    }
  }

  @Test
  void aBlockThatIsNotSavedEndsThePut() throws Exception {
    try (CalledStore called = called(Flaw.NONE, true)) {
      IOException e = assertThrows(IOException.class, () -> called.put(called.prompts(7)));
      assertTrue(e.getMessage().contains("ended IO"), e.getMessage());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NONE", "NO_STATUS_ON_MISS"})
  void aBlockThatIsMissedEndsTheGetAndTheFind(Flaw flaw) throws Exception {
    try (CalledStore called = called(flaw, false)) {
      List<BlockKeys> prompts = called.prompts(7);
      called.put(prompts.subList(0, 6));
      IOException e = assertThrows(IOException.class, () -> called.get(prompts));
      String status = flaw == Flaw.NONE ? "MISS" : "null";
      assertTrue(e.getMessage().contains("ended " + status), e.getMessage());
      e = assertThrows(IOException.class, () -> called.find(prompts));
      assertTrue(e.getMessage().contains("found 0 of"), e.getMessage());
    }
  }

  @Test
  void aBlockThatIsHalfLoadedEndsTheGet() throws Exception {
    try (CalledStore called = called(Flaw.LOADS_HALF, false)) {
      List<BlockKeys> prompts = called.prompts(7);
      called.put(prompts);
      IOException e = assertThrows(IOException.class, () -> called.get(prompts));
      assertTrue(e.getMessage().contains("holds another's bytes"), e.getMessage());
    }
  }

  @Test
  void aStoreThatMovesNothingIsFoundOutThoughTheFramesStillHoldWhatWasPut() throws Exception {
    try (Callers callers = new Callers(List.of(frames.frames(BATCH, BLOCK)))) {
      List<BlockKeys> one = batches(1);
      callers.put(one, _ -> {});
      assertThrows(IOException.class, () -> callers.get(one, _ -> {}));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, BLOCK - Long.BYTES})
  void aBlockThatLacksItsBeginningOrItsEndEndsTheGet(long lacking) throws Exception {
    try (Callers callers = callers()) {
      IOException e =
          assertThrows(
              IOException.class,
              () ->
                  callers.get(
                      batches(1),
                      batch -> {
                        for (int i = 0; i < BATCH; i++) {
                          Callers.stamp(batch, i);
                        }
                        batch.frame(2).payload().set(ValueLayout.JAVA_LONG, lacking, 0);
                      }));
      assertTrue(e.getMessage().startsWith("block 2 of"), e.getMessage());
    }
  }

  @Test
  void aPassEndsWhenItsLastCallHasEnded() throws Exception {
    CountDownLatch all = new CountDownLatch(CalledStore.CALLERS);
    AtomicInteger done = new AtomicInteger();
    try (Callers callers = callers()) {
      callers.each(
          batches(7),
          _ -> {
            all.countDown();
            assertTrue(all.await(PATIENCE, TimeUnit.SECONDS), "the callers call at once");
            Thread.sleep(5);
            done.incrementAndGet();
          });
      assertEquals(7, done.get());
    }
  }

  @Test
  void aPassThatFailsCallsNoMoreAndEndsWhenItsLastCallHasEnded() throws Exception {
    CountDownLatch all = new CountDownLatch(CalledStore.CALLERS);
    CountDownLatch failed = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    AtomicInteger running = new AtomicInteger();
    List<BlockKeys> batches = batches(200);
    try (Callers callers = callers()) {
      IOException e =
          assertThrows(
              IOException.class,
              () ->
                  callers.each(
                      batches,
                      batch -> {
                        calls.incrementAndGet();
                        all.countDown();
                        if (batch.keys().equals(batches.getFirst())) {
                          assertTrue(all.await(PATIENCE, TimeUnit.SECONDS), "all call");
                          failed.countDown();
                          throw new IOException("no room");
                        }
                        running.incrementAndGet();
                        failed.await();
                        Thread.sleep(20);
                        running.decrementAndGet();
                      }));
      assertEquals("no room", e.getMessage());
      assertEquals(0, running.get(), "calls that outlive the pass");
      assertFalse(calls.get() > 20, calls + " calls after the first failed");
    }
  }
}

package io.kvasir.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.Blocks;
import io.kvasir.benchmarks.common.Chains;
import io.kvasir.conformance.speed.Callers;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CallersTest {
  private static final int BLOCK = 4096;

  @TempDir Path folder;
  private final Plan plan = plan(Path.of("/nowhere"));
  private final Map<String, byte[]> stored = new ConcurrentHashMap<>();

  private static Plan plan(Path folder) {
    return new Plan(PeerKind.FILES, folder, RawDisk.Way.CHANNEL, BLOCK, 4, 24, 9, 1, 3, false);
  }

  private void put(Blocks batch) {
    for (int i = 0; i < batch.count(); i++) {
      byte[] bytes = batch.frame(i).payload().toArray(ValueLayout.JAVA_BYTE);
      stored.put(batch.keys().flatKey(i), bytes);
    }
  }

  private void get(Blocks batch) {
    for (int i = 0; i < batch.count(); i++) {
      batch.frame(i).payload().copyFrom(MemorySegment.ofArray(stored.get(batch.keys().flatKey(i))));
    }
  }

  @Test
  void everyBlockIsPutOnceAndCheckedWhenItIsGot() throws Exception {
    List<BlockKeys> batches = PeerRun.batches(plan, new Chains(BLOCK).prompt(1, plan.blocks()));
    try (FramePool pool = new FramePool(12, plan.frameBytes(), false);
        Callers callers =
            new Callers(pool.forCallers(plan.callers(), plan.batchBlocks(), plan.blockBytes()))) {
      callers.put(batches, this::put);
      assertEquals(plan.blocks(), stored.size());
      callers.get(batches, this::get);
    }
  }

  @Test
  void aStoreThatSwapsBlocksOrLeavesThemHalfReadIsFoundOut() throws Exception {
    List<BlockKeys> batches = PeerRun.batches(plan, new Chains(BLOCK).prompt(1, plan.blocks()));
    try (FramePool pool = new FramePool(12, plan.frameBytes(), false);
        Callers callers =
            new Callers(pool.forCallers(plan.callers(), plan.batchBlocks(), plan.blockBytes()))) {
      callers.put(batches, this::put);
      byte[] other = stored.get(batches.get(0).flatKey(0));
      String victim = batches.get(3).flatKey(2);
      byte[] whole = stored.put(victim, other);
      assertThrows(IOException.class, () -> callers.get(batches, this::get));
      byte[] half = whole.clone();
      Arrays.fill(half, BLOCK / 2, BLOCK, (byte) 0);
      stored.put(victim, half);
      assertThrows(IOException.class, () -> callers.get(batches, this::get));
      half = whole.clone();
      Arrays.fill(half, 0, BLOCK / 2, (byte) 0);
      stored.put(victim, half);
      assertThrows(IOException.class, () -> callers.get(batches, this::get));
      stored.put(victim, whole);
      callers.get(batches, this::get);
    }
  }

  @Test
  void whatACallThrowsIsThrown() throws Exception {
    List<BlockKeys> batches = PeerRun.batches(plan, new Chains(BLOCK).prompt(1, plan.blocks()));
    try (FramePool pool = new FramePool(12, plan.frameBytes(), false);
        Callers callers =
            new Callers(pool.forCallers(plan.callers(), plan.batchBlocks(), plan.blockBytes()))) {
      Exception e =
          assertThrows(
              IOException.class,
              () ->
                  callers.put(
                      batches,
                      batch -> {
                        throw new IOException("no room");
                      }));
      assertEquals("no room", e.getMessage());
    }
  }

  @Test
  void aRecoveryCountsWhatIsLostAndWhatIsWrong() throws Exception {
    Plan here = plan(folder);
    Files.createDirectories(here.directory());
    Chains chains = new Chains(BLOCK);
    try (FramePool pool = new FramePool(12, here.frameBytes(), false);
        Callers callers =
            new Callers(pool.forCallers(here.callers(), here.batchBlocks(), here.blockBytes()));
        Peer peer = here.peer().open(here, chains)) {
      callers.put(PeerRun.batches(here, chains.prompt(5, here.blocks())), peer::put);
    }
    assertEquals(0, PeerRecovery.recover(here, 5).lost());
    assertEquals(24, PeerRecovery.recover(here, 6).lost());
    List<Path> files;
    try (Stream<Path> all = Files.walk(here.directory())) {
      files = all.filter(Files::isRegularFile).toList();
    }
    assertEquals(24, files.size());
    Files.delete(files.get(0));
    Files.delete(files.get(1));
    Files.write(files.get(2), new byte[BLOCK]);
    PeerResult.Recovery recovery = PeerRecovery.recover(here, 5);
    assertEquals(24, recovery.acknowledged());
    assertEquals(2, recovery.lost());
    assertEquals(1, recovery.wrong());
  }

  @Test
  void roundsEndWithTheirTimeButNotBeforeTheThird() {
    long now = System.nanoTime();
    long longAgo = now - 3_000_000_000L;
    assertTrue(plan.wantsMore(0, now));
    assertTrue(plan.wantsMore(8, now));
    assertEquals(false, plan.wantsMore(9, now));
    assertTrue(plan.wantsMore(2, longAgo));
    assertEquals(false, plan.wantsMore(3, longAgo));
  }
}

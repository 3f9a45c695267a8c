package io.kvasir.plugin.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.ByteSize;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreHealth;
import io.kvasir.conformance.Chains;
import io.kvasir.conformance.Manifests;
import io.kvasir.conformance.Payload;
import io.kvasir.conformance.TestContext;
import io.kvasir.conformance.TestFrames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each fault happens when it was asked for, and not otherwise. */
class FaultsTest {
  private static final MemoryConfiguration SOUND = MemoryConfiguration.of(new ByteSize(1 << 20));
  private static final NamespaceManifest TEAM = Manifests.of("team", 4096);

  private final TestFrames frames = new TestFrames(FrameSource.HOST);

  @AfterEach
  void close() {
    frames.close();
  }

  private static Store open(MemoryConfiguration configuration) throws StoreException {
    return new MemoryStoreProvider().open(new TestContext(configuration, Duration.ofMillis(500)));
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(10));
  }

  private Blocks blocks(BlockKeys keys) {
    return new Blocks(keys, frames.frames(keys.count(), 4096));
  }

  private Blocks save(NamespaceStore namespace, BlockKeys keys) {
    Blocks blocks = blocks(keys);
    for (int i = 0; i < keys.count(); i++) {
      Payload.fill(blocks.frame(i).payload(), i);
    }
    namespace.save(blocks, soon());
    return blocks;
  }

  private Blocks load(NamespaceStore namespace, BlockKeys keys) {
    Blocks blocks = blocks(keys);
    namespace.load(BlockLease.hint(keys, new BitSet()), blocks, soon());
    return blocks;
  }

  private static List<BlockStatus> statuses(Blocks blocks) {
    List<BlockStatus> out = new ArrayList<>();
    for (int i = 0; i < blocks.count(); i++) {
      out.add(blocks.status(i));
    }
    return out;
  }

  @Test
  void eachNthCallFailsAndTheOthersWork() throws StoreException {
    try (Store store = open(SOUND.failingEvery(3));
        NamespaceStore namespace = store.open(TEAM)) {
      for (int call = 1; call <= 9; call++) {
        BlockKeys keys = Chains.keys(TEAM, call, 1);
        BlockStatus status = save(namespace, keys).status(0);
        assertEquals(call % 3 == 0 ? BlockStatus.IO : BlockStatus.OK, status, "call " + call);
      }
      assertEquals(StoreHealth.State.DEGRADED, store.health().state());
      assertEquals(6, store.usage().blocks(), "a call that fails stores nothing");
    }
  }

  @Test
  void shortAndFlippedBlocksAreCorruptAndTheStoredOnesStay() throws StoreException {
    try (Store store = open(SOUND.shortReadEvery(3).flippingEvery(4));
        NamespaceStore namespace = store.open(TEAM)) {
      BlockKeys keys = Chains.keys(TEAM, 1, 6);
      save(namespace, keys);
      assertEquals(
          List.of(
              BlockStatus.OK,
              BlockStatus.OK,
              BlockStatus.CORRUPT,
              BlockStatus.CORRUPT,
              BlockStatus.OK,
              BlockStatus.CORRUPT),
          statuses(load(namespace, keys)));
      assertEquals(6, store.usage().blocks());
    }
  }

  @Test
  void withoutItsChecksumTheStoreLies() throws StoreException {
    try (Store store = open(SOUND.shortReadEvery(2).flippingEvery(3).lying());
        NamespaceStore namespace = store.open(TEAM)) {
      BlockKeys keys = Chains.keys(TEAM, 1, 3);
      save(namespace, keys);
      Blocks loaded = load(namespace, keys);
      for (int i = 0; i < 3; i++) {
        assertEquals(BlockStatus.OK, loaded.status(i));
        boolean right = Payload.firstWrong(loaded.frame(i).payload(), i) < 0;
        assertEquals(i == 0, right, "block " + i);
      }
    }
  }

  @Test
  void callsHangFromTheNthOnUntilTheirDeadline() throws StoreException {
    try (Store store = open(SOUND.hangingFrom(2, false));
        NamespaceStore namespace = store.open(TEAM)) {
      BlockKeys keys = Chains.keys(TEAM, 1, 1);
      assertEquals(BlockStatus.OK, save(namespace, keys).status(0));
      long start = System.nanoTime();
      Blocks late = blocks(keys);
      namespace.save(late, Deadline.after(Duration.ofMillis(30)));
      assertEquals(BlockStatus.TIMEOUT, late.status(0));
      assertTrue(System.nanoTime() - start >= 30_000_000);
      assertThrows(
          StoreException.class, () -> namespace.lookup(keys, Deadline.after(Duration.ofMillis(5))));
    }
  }

  @Test
  void callsThatHangBeyondTheirDeadlineEndWithTheStore() throws Exception {
    Store store = open(SOUND.hangingFrom(1, true));
    NamespaceStore namespace = store.open(TEAM);
    Blocks blocks = blocks(Chains.keys(TEAM, 1, 1));
    Thread call =
        Thread.ofPlatform()
            .start(() -> namespace.save(blocks, Deadline.after(Duration.ofMillis(1))));
    call.join(60);
    assertTrue(call.isAlive(), "the deadline has passed long ago");
    store.close();
    call.join(5_000);
    assertFalse(call.isAlive());
    assertEquals(BlockStatus.CLOSED, blocks.status(0));
  }

  @Test
  void eachCallTakesItsLatencyButNoLongerThanItsDeadline() throws StoreException {
    try (Store store = open(SOUND.withLatency(Duration.ofMillis(40)));
        NamespaceStore namespace = store.open(TEAM)) {
      BlockKeys keys = Chains.keys(TEAM, 1, 1);
      long start = System.nanoTime();
      assertEquals(BlockStatus.OK, save(namespace, keys).status(0));
      assertTrue(System.nanoTime() - start >= 40_000_000);
      Blocks late = blocks(keys);
      namespace.load(
          BlockLease.hint(keys, new BitSet()), late, Deadline.after(Duration.ofMillis(1)));
      assertEquals(BlockStatus.TIMEOUT, late.status(0));
    }
  }

  @Test
  void negativeSettingIsRefusedByName() {
    StoreException e = assertThrows(StoreException.class, () -> open(SOUND.failingEvery(-1)));
    assertEquals(StoreException.Kind.CONFIGURATION, e.kind());
    assertTrue(e.getMessage().startsWith("failEvery: -1 "), e.getMessage());
    assertNotEquals("", e.getMessage());
  }
}

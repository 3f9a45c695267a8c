package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreHealth;
import java.time.Duration;
import java.util.BitSet;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** R-STATUS: every block ends with one status, and it is the truth. */
public interface StatusRules extends StoreRules {
  /** Blocks of one call: its deadline is for all of them. */
  int MANY = 64;

  /** In which a store that works answers for one block, on the slowest machine. */
  Duration ANSWER = Duration.ofSeconds(5);

  @Test
  @Rule("R-STATUS-1")
  default void absentBlockIsAMissAndNoException() throws StoreException {
    try (NamespaceStore namespace = bench().open("team")) {
      bench().miss(namespace, Chains.keys(bench().manifest("team"), 1, 5));
    }
  }

  @Test
  @Rule("R-STATUS-2")
  default void presentAndAbsentBlocksOfOneCallEachHaveTheirStatus() throws StoreException {
    StoreBench bench = bench();
    BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 8);
    try (NamespaceStore namespace = bench.open("team")) {
      bench.save(namespace, keys.slice(0, 5));
      try (BlockLease lease = namespace.lookup(keys, StoreBench.soon())) {
        assertEquals(5, lease.prefix());
        assertEquals(8, lease.keys().count());
      }
      Blocks blocks = bench.load(namespace, keys);
      for (int i = 0; i < 8; i++) {
        assertEquals(i < 5 ? BlockStatus.OK : BlockStatus.MISS, blocks.status(i), "block " + i);
      }
      bench.hit(namespace, keys.slice(2, 4));
    }
  }

  /** LMCache#2420: evicted between lookup and load. */
  @Test
  @Rule("R-STATUS-3")
  default void blockThatIsGoneSinceTheLookupIsAMiss() throws StoreException {
    StoreBench bench = bench();
    NamespaceManifest manifest = bench.manifest("team");
    BlockKeys keys = Chains.keys(manifest, 1, 4);
    try (NamespaceStore namespace = bench.open("team")) {
      bench.save(namespace, keys);
      BlockLease lease = namespace.lookup(keys, StoreBench.soon());
      assertEquals(4, lease.prefix());
      lease.close();
      for (int text = 2; text < 2 + 3 * bench.capacityBlocks() / 8; text++) {
        bench.trySave(namespace, Chains.keys(manifest, text, 8));
      }
      Blocks blocks = bench.empty(keys);
      namespace.load(lease, blocks, StoreBench.soon());
      for (int i = 0; i < 4; i++) {
        BlockStatus status = blocks.status(i);
        assertTrue(status == BlockStatus.MISS || status == BlockStatus.OK, "block is " + status);
      }
      StoreBench.compare(blocks);
      BitSet all = new BitSet();
      all.set(0, 4);
      BlockKeys never = Chains.keys(manifest, -1, 4);
      Blocks absent = bench.empty(never);
      namespace.load(BlockLease.hint(never, all), absent, StoreBench.soon());
      StoreBench.all(BlockStatus.MISS, absent);
    }
  }

  @Test
  @Rule("R-STATUS-4")
  default void damagedBlockIsCorruptAndNeverOk() throws StoreException {
    StoreBench bench = bench();
    try (NamespaceStore namespace = bench.open("team")) {
      for (int text = 0; text < 3; text++) {
        bench.save(namespace, Chains.keys(bench.manifest("team"), text, 3));
      }
    }
    assumeTrue(bench.claims().checksum(), "the backend claims no checksum");
    for (int text = 0; text < 3; text++) {
      BlockKeys keys = Chains.keys(bench.manifest("team"), text, 3);
      Optional<Store> store = faults().damageBlock(bench, keys, text);
      assumeTrue(store.isPresent(), "this backend's tests cannot damage a block");
      try (NamespaceStore namespace = store.get().open(bench.manifest("team"))) {
        Blocks blocks = bench.load(namespace, keys);
        // a store that verifies at its opening has dropped the block already
        BlockStatus damaged = blocks.status(text);
        assertTrue(
            damaged == BlockStatus.CORRUPT || damaged == BlockStatus.MISS, "it is " + damaged);
        for (int i = 0; i < text; i++) {
          assertEquals(BlockStatus.OK, blocks.status(i), "block " + i + " before the damaged one");
        }
        bench.save(namespace, keys); // what is proven corrupt gives way
        bench.hit(namespace, keys);
      }
    }
  }

  /** lmdeploy's {@code _load}: a byte count that differs was a success. */
  @Test
  @Rule("R-STATUS-5")
  default void frameOfAnotherSizeIsRefused() throws StoreException {
    StoreBench bench = bench();
    BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 1);
    bench.store();
    assertThrows(
        IllegalArgumentException.class,
        () -> new Blocks(keys, bench.frames().frames(1, keys.payloadBytes() - 64)));
    assertThrows(
        IllegalArgumentException.class,
        () -> new Blocks(keys, bench.frames().frames(2, keys.payloadBytes())));
  }

  /** sglang#38428: the backend throws at each call. */
  @Test
  @Rule("R-STATUS-6")
  default void failureIsAStatusAndHealthSaysSo() throws StoreException {
    StoreBench bench = bench();
    Optional<Store> failing = faults().failing();
    assumeTrue(failing.isPresent(), "this backend's tests cannot make it fail");
    BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 2);
    try (Store store = failing.get();
        NamespaceStore namespace = store.open(bench.manifest("team"));
        TestFrames frames = new TestFrames(store.frames())) {
      for (int i = 0; i < 3; i++) {
        Blocks blocks = new Blocks(keys, frames.frames(2, keys.payloadBytes()));
        namespace.save(blocks, StoreBench.soon());
        StoreBench.all(BlockStatus.IO, blocks);
        blocks = new Blocks(keys, frames.frames(2, keys.payloadBytes()));
        namespace.load(BlockLease.hint(keys, new BitSet()), blocks, StoreBench.soon());
        StoreBench.all(BlockStatus.IO, blocks);
        assertThrows(StoreException.class, () -> namespace.lookup(keys, StoreBench.soon()));
      }
      assertNotEquals(StoreHealth.State.UP, store.health().state());
    }
  }

  /** LMCache#1814, Mooncake#3688: the store hangs. */
  @Test
  @Rule("R-STATUS-7")
  default void hangingCallEndsAtItsDeadline() throws StoreException {
    StoreBench bench = bench();
    Optional<Store> hanging = faults().hanging();
    assumeTrue(hanging.isPresent(), "this backend's tests cannot make it hang");
    BlockKeys keys = Chains.keys(bench.manifest("team"), 1, MANY);
    try (Store store = hanging.get();
        NamespaceStore namespace = store.open(bench.manifest("team"));
        TestFrames frames = new TestFrames(store.frames())) {
      long start = System.nanoTime();
      Blocks blocks = new Blocks(keys, frames.frames(MANY, keys.payloadBytes()));
      namespace.save(blocks, Deadline.after(Duration.ofMillis(50)));
      StoreBench.all(BlockStatus.TIMEOUT, blocks);
      blocks = new Blocks(keys, frames.frames(MANY, keys.payloadBytes()));
      namespace.load(
          BlockLease.hint(keys, new BitSet()), blocks, Deadline.after(Duration.ofMillis(50)));
      StoreBench.all(BlockStatus.TIMEOUT, blocks);
      StoreException e =
          assertThrows(
              StoreException.class,
              () -> namespace.lookup(keys, Deadline.after(Duration.ofMillis(50))));
      assertEquals(StoreException.Kind.TIMEOUT, e.kind());
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      assertTrue(took.compareTo(Duration.ofSeconds(2)) < 0, "three calls of 50 ms took " + took);
      assertNotEquals(StoreHealth.State.UP, store.health().state());
    }
  }

  @Test
  @Rule("R-STATUS-8")
  default void deadlineThatHasPassedEndsInAStatusAtOnce() throws StoreException {
    StoreBench bench = bench();
    BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 4);
    Deadline passed = Deadline.after(Duration.ofMillis(-1));
    try (NamespaceStore namespace = bench.open("team")) {
      Blocks saved = bench.filled(keys, i -> StoreBench.number(keys, i));
      namespace.save(saved, passed);
      StoreBench.allHaveStatus(saved);
      Blocks loaded = bench.empty(keys);
      namespace.load(BlockLease.hint(keys, new BitSet()), loaded, passed);
      StoreBench.allHaveStatus(loaded);
      StoreBench.compare(loaded);
      try (BlockLease lease = namespace.lookup(keys, passed)) {
        assertEquals(4, lease.keys().count());
      } catch (StoreException e) {
        assertEquals(StoreException.Kind.TIMEOUT, e.kind());
      }
      bench.save(namespace, keys); // and it harms nothing
      bench.hit(namespace, keys);
    }
  }

  /** A sliding window needs its last blocks alone: those before them may be gone. */
  @Test
  @Rule("R-STATUS-9")
  default void lookupTellsOfEachBlockAlsoBehindAnAbsentOne() throws StoreException {
    StoreBench bench = bench();
    assumeFalse(bench.claims().prefixClosed(), "a prefix-closed store has none behind an absent");
    BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 6);
    try (NamespaceStore namespace = bench.open("team")) {
      bench.save(namespace, keys.slice(1, 3));
      bench.save(namespace, keys.slice(4, 6));
      try (BlockLease lease = namespace.lookup(keys, StoreBench.soon())) {
        for (int i = 0; i < 6; i++) {
          assertEquals(i != 0 && i != 3, lease.present(i), "block " + i);
        }
        assertEquals(0, lease.prefix());
      }
      bench.hit(namespace, keys.slice(4, 6));
    }
  }

  /** LMCache#1814: a store that hangs while it says that all is well. */
  @Test
  @Rule("R-STATUS-10")
  default void storeThatSaysUpAnswersBeforeItsDeadline() throws StoreException {
    StoreBench bench = bench();
    BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 1);
    assertEquals(StoreHealth.State.UP, bench.store().health().state(), "a new store");
    try (NamespaceStore namespace = bench.open("team")) {
      Blocks saved = bench.filled(keys, i -> StoreBench.number(keys, i));
      namespace.save(saved, Deadline.after(ANSWER));
      StoreBench.all(BlockStatus.OK, saved);
      Blocks loaded = bench.empty(keys);
      try (BlockLease lease = namespace.lookup(keys, Deadline.after(ANSWER))) {
        namespace.load(lease, loaded, Deadline.after(ANSWER));
      }
      StoreBench.all(BlockStatus.OK, loaded);
      StoreBench.compare(loaded);
    }
  }

  /** sglang#38428: what ended one thread must not end the store. */
  @Test
  @Rule("R-STATUS-11")
  default void interruptedCallHarmsNoOther() throws StoreException {
    StoreBench bench = bench();
    BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 4);
    try (NamespaceStore namespace = bench.open("team")) {
      bench.save(namespace, keys.slice(0, 2));
      Crew crew = new Crew();
      crew.start("interrupted", () -> interrupted(namespace, keys));
      crew.join();
      bench.save(namespace, keys);
      bench.hit(namespace, keys);
    }
  }

  private void interrupted(NamespaceStore namespace, BlockKeys keys) {
    Blocks loaded = bench().empty(keys);
    Thread.currentThread().interrupt();
    try (BlockLease lease = namespace.lookup(keys, StoreBench.soon())) {
      assertEquals(4, lease.keys().count());
    } catch (StoreException e) {
      assertNotEquals(StoreException.Kind.CLOSED, e.kind());
    }
    Thread.currentThread().interrupt();
    namespace.load(BlockLease.hint(keys, new BitSet()), loaded, StoreBench.soon());
    StoreBench.allHaveStatus(loaded);
    Thread.interrupted(); // what the kit does with the bytes is no call of the store
    StoreBench.compare(loaded);
    Blocks saved = bench().filled(keys, i -> StoreBench.number(keys, i));
    Thread.currentThread().interrupt();
    namespace.save(saved, StoreBench.soon());
    StoreBench.allHaveStatus(saved);
  }
}

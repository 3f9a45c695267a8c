package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.ByteSize;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.Capabilities;
import io.kvasir.api.store.Frame;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.conformance.wrap.CheckedStore;
import io.kvasir.conformance.wrap.ContractViolation;
import io.kvasir.conformance.wrap.Fault;
import io.kvasir.conformance.wrap.FaultyStore;
import io.kvasir.conformance.wrap.RecordingStore;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The stores that stand before others: what they let pass, and what they do not. */
class WrappersTest {
  private static final NamespaceManifest TEAM = Manifests.of("team", 4096);
  private static final BlockKeys KEYS = Chains.keys(TEAM, 1, 4);

  @TempDir Path directory;
  private final TestFrames frames = new TestFrames(io.kvasir.api.store.FrameSource.HOST);

  @AfterEach
  void freeTheFrames() {
    frames.close();
  }

  private FlawedStore flawed(Flaw flaw) {
    return new FlawedStore(
        new FlawedStore.Config(directory, new ByteSize(1 << 20), flaw, false, false),
        new FlawedDisk());
  }

  private static Capabilities claims(Flaw flaw) {
    return new Capabilities(
        true,
        flaw != Flaw.HINT_CLAIMS_TO_HOLD,
        true,
        true,
        true,
        true,
        flaw != Flaw.CLAIMS_TOO_LITTLE,
        false);
  }

  private Blocks blocks(BlockKeys keys) {
    Blocks blocks = new Blocks(keys, frames.frames(keys.count(), keys.payloadBytes()));
    for (int i = 0; i < keys.count(); i++) {
      Payload.fill(blocks.frame(i).payload(), StoreBench.number(keys, i));
    }
    return blocks;
  }

  private Blocks save(NamespaceStore namespace, BlockKeys keys) {
    Blocks saved = blocks(keys);
    namespace.save(saved, StoreBench.soon());
    return saved;
  }

  private Blocks load(NamespaceStore namespace, BlockKeys keys) throws StoreException {
    Blocks loaded = new Blocks(keys, frames.frames(keys.count(), keys.payloadBytes()));
    try (BlockLease lease = namespace.lookup(keys, StoreBench.soon())) {
      namespace.load(lease, loaded, StoreBench.soon());
    }
    return loaded;
  }

  /** A bit of everything. */
  private void use(Store store) throws StoreException {
    BlockKeys foreign = Chains.keys(Manifests.of("other", 4096), 1, 1);
    try (NamespaceStore namespace = store.open(TEAM)) {
      load(namespace, KEYS);
      save(namespace, KEYS);
      StoreBench.compare(load(namespace, KEYS));
      try {
        save(namespace, foreign);
        throw new IllegalStateException("the kit let it pass");
      } catch (IllegalArgumentException e) {
        // as it must be
      }
      namespace.remove(KEYS, StoreBench.soon());
    }
    store.namespaces();
    try {
      store.usage();
    } catch (StoreException e) {
      assertEquals(StoreException.Kind.UNSUPPORTED, e.kind());
    }
    store.remove(TEAM.id(), StoreBench.soon());
    store.close();
    store.health();
    store.metrics();
  }

  @Test
  void aSoundStoreIsNotComplainedOf() throws StoreException {
    use(new CheckedStore(flawed(Flaw.NONE), claims(Flaw.NONE)));
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "NO_STATUS_ON_MISS",
        "CHANGES_PAYLOAD",
        "ACCEPTS_FOREIGN_KEYS",
        "CLAIMS_TOO_LITTLE",
        "CLAIMS_TOO_MUCH",
        "HINT_CLAIMS_TO_HOLD",
        "METRICS_FAIL_WHEN_CLOSED"
      })
  void aStoreThatBreaksTheContractIsNamed(Flaw flaw) {
    Store store = new CheckedStore(flawed(flaw), claims(flaw));
    ContractViolation e = assertThrows(ContractViolation.class, () -> use(store));
    assertEquals(ContractViolation.Side.STORE, e.side());
  }

  @Test
  void aCallerThatBreaksTheContractIsNamed() throws StoreException {
    Store store = new CheckedStore(flawed(Flaw.NONE), claims(Flaw.NONE));
    MemorySegment large = frames.frame(8192).memory();
    BlockKeys one = KEYS.slice(0, 1);
    List<Blocks> wrong = new ArrayList<>();
    wrong.add(new Blocks(one, List.of(new Frame(large.asSlice(8, 4096), 4096))));
    wrong.add(new Blocks(one, List.of(new Frame(MemorySegment.ofArray(new byte[4096]), 4096))));
    Blocks used = blocks(one);
    used.set(0, BlockStatus.OK);
    wrong.add(used);
    try (NamespaceStore namespace = store.open(TEAM)) {
      for (Blocks blocks : wrong) {
        ContractViolation e =
            assertThrows(ContractViolation.class, () -> namespace.save(blocks, StoreBench.soon()));
        assertEquals(ContractViolation.Side.CALLER, e.side());
      }
      assertThrows(ContractViolation.class, () -> namespace.save(blocks(one), null));
      assertThrows(
          ContractViolation.class, () -> namespace.load(null, blocks(one), StoreBench.soon()));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFaultIsSeenByTheCallerAndADishonestOneByTheKit(Fault fault) throws StoreException {
    FaultyStore faulty = new FaultyStore(flawed(Flaw.NONE), 7, Map.of(fault, 1000));
    Store store = new CheckedStore(faulty, claims(Flaw.NONE));
    Deadline deadline = Deadline.after(Duration.ofMillis(30));
    boolean told = false;
    try (NamespaceStore namespace = store.open(TEAM)) {
      Blocks saved = blocks(KEYS);
      namespace.save(saved, deadline);
      Blocks loaded = new Blocks(KEYS, frames.frames(4, 4096));
      namespace.load(BlockLease.hint(KEYS, new java.util.BitSet()), loaded, deadline);
      if (fault.honest()) {
        BlockStatus said = fault == Fault.HANGS ? BlockStatus.TIMEOUT : BlockStatus.IO;
        StoreBench.all(said, saved);
        StoreBench.all(said, loaded);
        assertThrows(StoreException.class, () -> namespace.lookup(KEYS, deadline));
      } else {
        StoreBench.all(BlockStatus.OK, saved);
        StoreBench.all(BlockStatus.OK, loaded);
        StoreBench.compare(loaded);
      }
    } catch (AssertionError e) {
      told = true;
    }
    assertEquals(!fault.honest(), told);
    assertTrue(faulty.done().getOrDefault(fault, 0) > 0, "it never happened");
    assertEquals(1, faulty.done().size());
  }

  @Test
  void equalSeedsFailInEqualCalls() throws StoreException {
    List<String> once = outcomes(11);
    assertEquals(once, outcomes(11));
    assertTrue(!once.equals(outcomes(12)), "another seed fails in the same calls");
    assertTrue(once.contains("IO") && once.contains("OK"), once.toString());
  }

  private List<String> outcomes(long seed) throws StoreException {
    Store store =
        new FaultyStore(
            flawed(Flaw.NONE), seed, Map.of(Fault.FAILS, 200, Fault.LOSES_THE_ANSWER, 200));
    List<String> out = new ArrayList<>();
    try (NamespaceStore namespace = store.open(TEAM)) {
      for (int i = 0; i < 40; i++) {
        out.add("" + save(namespace, KEYS.slice(0, 1)).status(0));
      }
    }
    return out;
  }

  @Test
  void callsAreRememberedAndCounted() throws StoreException {
    RecordingStore store = new RecordingStore(flawed(Flaw.NONE), 3);
    NamespaceStore namespace = store.open(TEAM);
    load(namespace, KEYS);
    save(namespace, KEYS);
    load(namespace, KEYS);
    namespace.close();
    StoreException e = assertThrows(StoreException.class, () -> load(namespace, KEYS.slice(0, 1)));
    assertEquals(StoreException.Kind.CLOSED, e.kind());
    assertEquals(
        Map.of(
            "open done", 1L,
            "lookup done", 2L,
            "lookup CLOSED", 1L,
            "load MISS", 4L,
            "load OK", 4L,
            "save OK", 4L),
        store.counts());
    assertEquals(
        List.of("lookup found 4", "load [OK, OK, OK, OK]", "lookup CLOSED closed"),
        store.calls().stream().map(call -> call.what() + " " + call.outcome()).toList());
  }
}

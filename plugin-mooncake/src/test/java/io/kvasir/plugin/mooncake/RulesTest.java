package io.kvasir.plugin.mooncake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.ByteSize;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreHealth;
import io.kvasir.conformance.Chains;
import io.kvasir.conformance.Manifests;
import io.kvasir.conformance.Payload;
import io.kvasir.conformance.StoreBench;
import io.kvasir.conformance.TestContext;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the binding must do, rule by rule, as the design of this store counts them. A mistake that
 * would end a process with the real library ends it with the stand-in, too.
 */
@Timeout(60)
@SuppressWarnings("restricted") // reads what was written for C
class RulesTest {
  private static final long SEGMENT = 32 << 20;

  @AfterEach
  void takeTheFaultsBack() {
    Rig.clear();
  }

  private static StoreException refused(Settings settings) {
    return assertThrows(
        StoreException.class,
        () -> new MooncakeProvider(Map.of()).open(new TestContext(settings.config())).close());
  }

  private static ClientSettings client(String master) throws StoreException {
    return ClientSettings.of(new Settings(master).config(), Map.of());
  }

  private static Abi abi() throws StoreException {
    return StoreLibrary.load(Optional.of(Rig.library()), Map.of(), Map.of());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "p2phandshake",
        "etcd://127.0.0.1:2379",
        "127.0.0.1:2379",
        "redis://127.0.0.1",
        "http://127.0.0.1:60052",
        "http://127.0.0.1:60052/metadata/",
        "http://127.0.0.1/metadata",
        "xP2PHANDSHAKE"
      })
  void rule01MetadataThatWouldEndTheProcessIsRefused(String metadata) {
    Settings settings = new Settings("127.0.0.1:1");
    settings.metadata = Optional.of(metadata);
    StoreException e = refused(settings);
    assertEquals(StoreException.Kind.CONFIGURATION, e.kind());
    assertEquals(
        "metadata: \"%s\" is neither P2PHANDSHAKE nor http://host:port/metadata; the library ends the process at anything else"
            .formatted(metadata),
        e.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "P2PHANDSHAKE",
        "http://127.0.0.1:60052/metadata",
        "https://meta.example:443/metadata",
        "http://[::1]:8080/metadata"
      })
  void rule01MetadataThatTheLibraryKnowsIsPassedOn(String metadata) throws StoreException {
    Settings settings = new Settings("127.0.0.1:1");
    settings.metadata = Optional.of(metadata);
    assertEquals(metadata, ClientSettings.of(settings.config(), Map.of()).metadata());
  }

  @Test
  void rule02AHandleIsSetUpOnceAndItsDataStay() throws Exception {
    String master = Rig.master(SEGMENT);
    try (Client client = new Client(new Settings(master))) {
      client.save(client.keys(1, 2));
      Session session = Session.open(abi(), client(master));
      try {
        assertThrows(IllegalStateException.class, () -> session.setUp(client(master)));
      } finally {
        assertTrue(session.close(Duration.ofSeconds(10)));
      }
      Client.all(BlockStatus.OK, client.load(client.keys(1, 2)));
    }
  }

  @Test
  void rule02AHandleWhoseSetupFailedIsDestroyed() throws Exception {
    Rig.needsStandin();
    String master = Rig.master(SEGMENT);
    long before = Rig.get("handles");
    Rig.fail("setup", null, Codes.INVALID_PARAMS, 1);
    StoreException e = refused(new Settings(master));
    assertEquals(StoreException.Kind.UNAVAILABLE, e.kind());
    assertTrue(e.getMessage().contains("master: \"" + master + "\""), e.getMessage());
    assertTrue(e.getMessage().contains("-600 (INVALID_PARAMS)"), e.getMessage());
    assertEquals(before, Rig.get("handles"));
  }

  @Test
  void rule03AHandleIsDestroyedOnceAndAfterTheLastCallLeft() throws Exception {
    Rig.needsStandin();
    String master = Rig.master(SEGMENT);
    Client client = new Client(new Settings(master));
    long handles = Rig.get("handles");
    client.save(client.keys(1, 2));
    AtomicReference<Blocks> late = new AtomicReference<>();
    Rig.delay("batch_get_into", 700, 1);
    Thread loader = Thread.ofPlatform().start(() -> late.set(client.load(client.keys(1, 2))));
    Client.until("the load is in the library", () -> client.metric("calls.running") == 1);
    client.store.close(); // the stand-in aborts if this destroys the handle beside the call
    assertEquals(handles - 1, Rig.get("handles"), "destroyed when the close returned");
    loader.join();
    Client.all(BlockStatus.OK, late.get());
    client.store.close();
    Client.all(BlockStatus.CLOSED, client.load(client.keys(1, 2)));
    client.close();
  }

  @Test
  void rule03ACloseThatCannotWaitLeavesTheHandleToTheLastCall() throws Exception {
    Rig.needsStandin();
    Session session = Session.open(abi(), client(Rig.master(SEGMENT)));
    long handles = Rig.get("handles");
    assertTrue(session.enter());
    assertFalse(session.close(Duration.ofMillis(50)), "a call is inside");
    assertFalse(session.enter(), "late callers stay out");
    assertEquals(handles, Rig.get("handles"));
    session.leave();
    Client.until("destroyed", () -> Rig.get("handles") == handles - 1);
    assertTrue(session.close(Duration.ofSeconds(1)), "once");
  }

  @Test
  void rule04OpeningLeavesTheCallersSignalsAlone() throws Exception {
    String before = blockedSignals();
    try (Client client = new Client(new Settings(Rig.master(SEGMENT)))) {
      assertEquals(before, blockedSignals());
      assertEquals(0, client.found(client.keys(1, 2)));
    }
    Process child = new ProcessBuilder("sleep", "60").start();
    child.destroy();
    assertTrue(child.waitFor(10, java.util.concurrent.TimeUnit.SECONDS), "SIGTERM ends a child");
  }

  private static String blockedSignals() throws Exception {
    return Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
        .filter(line -> line.startsWith("SigBlk:"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void rule05AClientAddsNothingToTheClusterByDefaultAndItsDataOutliveIt() throws Exception {
    Rig.needsStandin();
    String master = Rig.master(SEGMENT);
    long segments = Rig.get(master, "segments");
    Client first = new Client(new Settings(master));
    BlockKeys keys = first.keys(1, 3);
    assertEquals(segments, Rig.get(master, "segments"));
    first.save(keys);
    first.close();
    try (Client second = new Client(new Settings(master))) {
      Client.all(BlockStatus.OK, second.load(keys));
    }
  }

  @Test
  void rule05ASegmentOfItsOwnIsAnOption() throws Exception {
    Rig.needsStandin();
    String master = Rig.master(0);
    Settings settings = new Settings(master);
    settings.segment = Optional.of(new ByteSize(16 << 20));
    try (Client client = new Client(settings)) {
      assertEquals(1, Rig.get(master, "segments"));
      Client.all(BlockStatus.OK, client.save(client.keys(1, 2)));
    }
    settings.segment = Optional.of(new ByteSize((16 << 20) - 1));
    assertEquals(
        "segment: 16777215 is less than 16MiB; write 0 for none", refused(settings).getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.8:12345", "", " ", "[::1]:80"})
  void rule05AHostWithAPortIsRefused(String host) {
    Settings settings = new Settings("127.0.0.1:1");
    settings.host = Optional.of(host);
    assertTrue(refused(settings).getMessage().startsWith("host: \"" + host + "\""));
  }

  @Test
  void rule06TheLibrarysVariablesAreSetBeforeItIsUsed() throws Exception {
    try (Client client = new Client(new Settings(Rig.master(SEGMENT)))) {
      assertEquals(0, client.found(client.keys(1, 1)));
    }
    assertEquals("10000", NativeEnvironment.get("MC_RPC_TIMEOUT_MS"));
    assertEquals("1", NativeEnvironment.get("MC_STORE_CLIENT_SETUP_RETRIES"));
    assertEquals("ERROR", NativeEnvironment.get("MC_LOG_LEVEL"));
    NativeEnvironment.set(Map.of("MC_LOG_LEVEL", "INFO"));
    assertEquals("ERROR", NativeEnvironment.get("MC_LOG_LEVEL"), "what is set stays");
  }

  /** Opens and closes a store as the first thing that its process does. */
  static final class Opener {
    public static void main(String[] args) throws Exception {
      new MooncakeProvider().open(new TestContext(new Settings(args[0]).config())).close();
      System.out.println("closed");
    }
  }

  @Test
  void rule06TheLogLevelIsSetBeforeTheLibraryIsLoaded() throws Exception {
    List<String> said = new java.util.ArrayList<>();
    try (Child opener = Child.jvmWithErrors(Opener.class, Rig.master(SEGMENT))) {
      for (String line = opener.line(); line != null; line = opener.line()) {
        said.add(line);
      }
      assertEquals(0, opener.end());
    }
    assertTrue(said.contains("closed"), said::toString);
    assertTrue(said.stream().noneMatch(line -> line.matches("I20\\d{6} .*")), said::toString);
  }

  @Test
  void rule07DuplicateKeysInABatchAreAskedOnce() throws Exception {
    String master = Rig.master(SEGMENT);
    try (Client client = new Client(new Settings(master))) {
      BlockKeys twice = twice(client);
      Blocks saved = client.filled(twice);
      client.namespace.save(saved, Client.in(10_000));
      Client.all(BlockStatus.OK, saved);
      Blocks loaded = client.load(twice); // compares: the library would fill the last frame alone
      Client.all(BlockStatus.OK, loaded);
      assertEquals(4, client.found(twice));
      assertEquals(2, Distinct.of(twice).count());
    }
  }

  /** A chain whose blocks 0 and 1, and 2 and 3, have the same hash. */
  private static BlockKeys twice(Client client) {
    io.kvasir.api.identity.KeyChain chain =
        new io.kvasir.api.identity.KeyChain(
            client.manifest,
            (_, tokens, from, _, _) -> {
              byte[] hash = new byte[32];
              hash[9] = (byte) (tokens[from] / 2 + 1);
              return hash;
            },
            Manifests.BLOCK_TOKENS,
            List.of());
    for (int block = 0; block < 4; block++) {
      for (int i = 0; i < Manifests.BLOCK_TOKENS; i++) {
        chain.append(block);
      }
    }
    return chain.keys(0, 0, 0, 4);
  }

  @Test
  void rule07KeysAreWrittenAsTheLibraryReadsThem() throws Exception {
    try (Client client = new Client(new Settings(Rig.master(SEGMENT)));
        Scratch scratch = new Scratch()) {
      BlockKeys keys = client.keys(1, 300);
      int[] blocks = java.util.stream.IntStream.range(0, 300).map(i -> 299 - i).toArray();
      scratch.write(new Naming.Strict().prefix(keys), keys, blocks, 300);
      for (int i = 0; i < 300; i++) {
        String key = MemorySegment.ofAddress(scratch.key(i)).reinterpret(200).getString(0);
        assertEquals(keys.flatKey(299 - i), key);
      }
    }
  }

  @Test
  void rule07WhatCWouldCutOrTheLibraryRefuseIsRefusedHere() {
    try (Arena arena = Arena.ofConfined()) {
      assertThrows(IllegalArgumentException.class, () -> Texts.utf8(arena, ""));
      assertThrows(IllegalArgumentException.class, () -> Texts.utf8(arena, "a\0b"));
      assertEquals("ä", Texts.utf8(arena, "ä").getString(0));
      assertEquals(3, Texts.utf8(arena, "ä").byteSize());
    }
  }

  @Test
  void rule08EachItemOfABatchIsReadAndANegativeExistIsNoHit() throws Exception {
    Rig.needsStandin();
    try (Client client = new Client(new Settings(Rig.master(SEGMENT)))) {
      BlockKeys keys = client.keys(1, 4);
      client.save(keys);
      Rig.fail("batch_is_exist", keys.flatKey(1), -1010, 1);
      Rig.fail("batch_get_into", keys.flatKey(2), -1010, 1);
      try (var lease = client.namespace.lookup(keys, Client.in(10_000))) {
        for (int i = 0; i < 4; i++) {
          assertEquals(i != 1, lease.present(i), "block " + i);
        }
      }
      Blocks loaded = client.load(keys);
      for (int i = 0; i < 4; i++) {
        assertEquals(i == 2 ? BlockStatus.IO : BlockStatus.OK, loaded.status(i), "block " + i);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, Client.BLOCK, Client.BLOCK + Trailer.BYTES - 1})
  void rule08AShorterValueIsNoSuccess(long size) throws Exception {
    Rig.needsStandin();
    String master = Rig.master(SEGMENT);
    try (Client client = new Client(new Settings(master))) {
      BlockKeys keys = client.keys(1, 2);
      client.save(keys);
      assertTrue(Rig.shorten(master, keys.flatKey(1), size));
      Blocks loaded = client.load(keys);
      assertEquals(BlockStatus.OK, loaded.status(0));
      assertEquals(BlockStatus.CORRUPT, loaded.status(1));
      Client.all(BlockStatus.OK, client.save(keys)); // it gave way
      Client.all(BlockStatus.OK, client.load(keys));
    }
  }

  @Test
  void rule08ALargerValueIsNoSuccess() throws Exception {
    String master = Rig.master(SEGMENT);
    try (Client client = new Client(new Settings(master))) {
      BlockKeys keys = client.keys(1, 1);
      Raw.put(master, keys.flatKey(0), new byte[(int) Client.BLOCK + Trailer.BYTES + 1]);
      Client.all(BlockStatus.CORRUPT, client.load(keys));
      Client.all(BlockStatus.OK, client.save(keys));
      Client.all(BlockStatus.OK, client.load(keys));
    }
  }

  @Test
  void rule09APutBesideAnotherWriterIsNotSaved() throws Exception {
    Rig.needsStandin();
    String master = Rig.master(SEGMENT);
    Rig.set(master, "discard_ms", 400);
    try (Client client = new Client(new Settings(master))) {
      BlockKeys keys = client.keys(1, 2);
      Rig.leaveInFlight(master, keys.flatKey(1), Client.BLOCK + Trailer.BYTES);
      Blocks saved = client.save(keys);
      assertEquals(BlockStatus.OK, saved.status(0));
      assertEquals(BlockStatus.TIMEOUT, saved.status(1));
      assertTrue(saved.cause(1).getMessage().contains("another writer"), saved.cause(1).toString());
      assertEquals(1, client.found(keys));
      Thread.sleep(500); // Mooncake gives the dead writer up
      Client.all(BlockStatus.OK, client.save(keys));
      Client.all(BlockStatus.OK, client.load(keys));
    }
  }

  /** Whoever removed it wins: a save that puts again would happen twice. */
  @Test
  void rule09WhatWasRemovedRightAfterThePutIsNotPutAgain() throws Exception {
    Rig.needsStandin();
    String master = Rig.master(SEGMENT);
    try (Client client = new Client(new Settings(master))) {
      BlockKeys keys = client.keys(1, 2);
      Rig.delay("batch_is_exist", 400, 2); // before and after the put
      AtomicReference<Blocks> saved = new AtomicReference<>();
      Thread saver = Thread.ofPlatform().start(() -> saved.set(client.save(keys)));
      Client.until("it is put", () -> Rig.drop(master, keys.flatKey(1)));
      saver.join();
      Client.all(BlockStatus.OK, saved.get());
      assertEquals(1, client.found(keys));
    }
  }

  @Test
  void rule09ASaveAsksOnceForAllItsBlocks() throws Exception {
    Rig.needsStandin();
    try (Client client = new Client(new Settings(Rig.master(SEGMENT)))) {
      Blocks blocks = client.filled(client.keys(1, 60));
      long before = Rig.get("calls");
      client.namespace.save(blocks, Client.in(10_000));
      Client.all(BlockStatus.OK, blocks);
      assertEquals(before + 3, Rig.get("calls"), "a look, a put and a look");
      client.namespace.save(client.again(blocks), Client.in(10_000));
      assertEquals(before + 4, Rig.get("calls"), "what is there is not put");
    }
  }

  /** As a put of it would be no more than a look, while the evictor may take it. */
  @Test
  void rule09WhatIsThereIsLeasedByASaveAndStays() throws Exception {
    Rig.needsStandin();
    String master = Rig.master(SEGMENT);
    Rig.set(master, "lease_ms", 60_000);
    try (Client client = new Client(new Settings(master))) {
      BlockKeys keys = client.keys(1, 2);
      Raw.put(master, keys.flatKey(0), new byte[5]); // of another writer, and not leased
      long leased = Rig.get(master, "leased");
      Rig.fail("batch_put_from", keys.flatKey(0), Codes.INVALID_PARAMS, 1);
      Client.all(BlockStatus.OK, client.save(keys));
      assertEquals(leased + 2, Rig.get(master, "leased"));
    }
  }

  @Test
  void rule09CorruptContentIsRemovedSoThatASaveTakesItsPlace() throws Exception {
    Rig.needsStandin();
    String master = Rig.master(SEGMENT);
    try (Client client = new Client(new Settings(master))) {
      BlockKeys keys = client.keys(1, 3);
      client.save(keys);
      assertTrue(Rig.flip(master, keys.flatKey(1), 4711));
      assertEquals(3, client.found(keys)); // and leased: the removal is forced
      Blocks loaded = client.load(keys);
      assertEquals(BlockStatus.CORRUPT, loaded.status(1));
      assertEquals(2, client.found(keys));
      Client.all(BlockStatus.OK, client.save(keys));
      Client.all(BlockStatus.OK, client.load(keys));
    }
  }

  @Test
  void rule10PressureIsTriedAgainThreeTimesAndThenCapacity() throws Exception {
    Rig.needsStandin();
    try (Client client = new Client(new Settings(Rig.master(SEGMENT)))) {
      BlockKeys keys = client.keys(1, 2);
      Rig.fail("batch_put_from", keys.flatKey(1), Codes.NO_AVAILABLE_HANDLE, 3);
      Client.all(BlockStatus.OK, client.save(keys));
      assertEquals(3, client.metric("pressure.retries"));
      BlockKeys more = client.keys(2, 2);
      Rig.fail("batch_put_from", more.flatKey(1), Codes.NO_AVAILABLE_HANDLE, 4);
      Blocks saved = client.save(more);
      assertEquals(BlockStatus.OK, saved.status(0));
      assertEquals(BlockStatus.CAPACITY, saved.status(1));
      assertEquals(StoreHealth.State.UP, client.store.health().state(), "pressure is no outage");
    }
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        Codes.OBJECT_NOT_FOUND,
        Codes.REPLICA_IS_NOT_READY,
        Codes.LEASE_EXPIRED,
        Codes.TRANSFER_FAIL
      })
  void rule10TheseCodesAreMissesAndNoOutage(int code) throws Exception {
    Rig.needsStandin();
    try (Client client = new Client(new Settings(Rig.master(SEGMENT)))) {
      BlockKeys keys = client.keys(1, 2);
      client.save(keys);
      for (int i = 0; i < 4; i++) {
        Rig.fail("batch_get_into", null, code, 1);
        Client.all(BlockStatus.MISS, client.load(keys));
      }
      assertEquals(StoreHealth.State.UP, client.store.health().state());
      Client.all(BlockStatus.OK, client.load(keys));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {Codes.RPC_FAIL, Codes.RPC_TIMEOUT})
  void rule10OutagesOpenTheBreakerAndAProbeClosesIt(int code) throws Exception {
    Rig.needsStandin();
    try (Client client = new Client(new Settings(Rig.master(SEGMENT)))) {
      BlockKeys keys = client.keys(1, 2);
      client.save(keys);
      Rig.fail("is_exist", null, code, 3); // the probes
      Rig.fail("batch_is_exist", null, code, 3);
      for (int i = 0; i < 3; i++) {
        StoreException e = assertThrows(StoreException.class, () -> client.found(keys));
        assertEquals(StoreException.Kind.UNAVAILABLE, e.kind());
      }
      Blocks refused = client.empty(keys);
      long calls = Rig.get("calls");
      client.namespace.load(BlockLease.hint(keys, _ -> true), refused, Client.in(10_000));
      Client.all(BlockStatus.IO, refused);
      assertEquals(StoreHealth.State.DOWN, client.store.health().state());
      assertTrue(Rig.get("calls") <= calls + 1, "nothing but a probe is asked");
      Client.until("a probe closes it", () -> client.metric("breaker.open") == 0);
      Client.all(BlockStatus.OK, client.load(keys));
    }
  }

  @Test
  void rule10ACallThatADeadlineGaveUpKeepsItsFramesUntilItComesBack() throws Exception {
    Rig.needsStandin();
    try (Client client = new Client(new Settings(Rig.master(SEGMENT)))) {
      BlockKeys keys = client.keys(1, 2);
      client.save(keys);
      Rig.delay("batch_get_into", 400, 1);
      long begun = System.nanoTime();
      Blocks blocks = client.load(keys, Client.in(50));
      assertTrue(System.nanoTime() - begun < Duration.ofMillis(350).toNanos(), "by its deadline");
      Client.all(BlockStatus.TIMEOUT, blocks);
      assertTrue(blocks.retained());
      assertEquals(1, client.metric("calls.abandoned"));
      assertNotEquals(StoreHealth.State.UP, client.store.health().state());
      Client.awaitFree(blocks);
      Client.until("counted as back", () -> client.metric("calls.abandoned") == 0);
      Client.all(BlockStatus.TIMEOUT, blocks); // nobody looks at what came late
      assertEquals(
          -1,
          Payload.firstWrong(blocks.frame(0).payload(), StoreBench.number(keys, 0)),
          "the library did fill the frame, after the deadline");
    }
  }

  @Test
  void rule10TheBreakerOpensBeforeTheCapOfAbandonedCallsIsReached() throws Exception {
    Rig.needsStandin();
    Settings settings = new Settings(Rig.master(SEGMENT));
    settings.abandonedCalls = 6;
    try (Client client = new Client(settings)) {
      BlockKeys keys = client.keys(1, 1);
      Rig.delay("batch_is_exist", 2500, 100);
      int timeouts = 0;
      for (int i = 0; i < 20; i++) {
        StoreException e =
            assertThrows(
                StoreException.class, () -> client.namespace.lookup(keys, Client.in(10)).close());
        timeouts += e.kind() == StoreException.Kind.TIMEOUT ? 1 : 0;
      }
      assertEquals(3, timeouts, "the rest is not asked");
      assertEquals(3, client.metric("calls.abandoned"));
      long begun = System.nanoTime();
      while (System.nanoTime() - begun < Duration.ofMillis(300).toNanos()) {
        long open = client.metric("breaker.open");
        assertTrue(open == 1 || client.metric("calls.abandoned") < 3, "no probe beside them");
        Thread.sleep(10);
      }
      Rig.clear();
      Client.until("it closes when they are back", () -> client.metric("breaker.open") == 0);
      assertEquals(0, client.found(keys));
    }
  }

  @Test
  void rule11ReplicationIsNullOrAtLeastOne() throws Exception {
    try (Arena arena = Arena.ofConfined()) {
      assertEquals(0, Replication.of(arena, 1, MooncakeConfig.Pin.NONE, List.of()));
      long at = Replication.of(arena, 2, MooncakeConfig.Pin.HARD, List.of("a:1", "b:2"));
      MemorySegment struct = MemorySegment.ofAddress(at).reinterpret(32);
      assertEquals(2, struct.get(ValueLayout.JAVA_LONG, 0));
      assertEquals(0, struct.get(ValueLayout.JAVA_INT, 8));
      assertEquals(1, struct.get(ValueLayout.JAVA_INT, 12));
      assertEquals(2, struct.get(ValueLayout.JAVA_LONG, 24));
      MemorySegment names =
          MemorySegment.ofAddress(struct.get(ValueLayout.JAVA_LONG, 16)).reinterpret(16);
      assertEquals(
          "b:2",
          MemorySegment.ofAddress(names.get(ValueLayout.JAVA_LONG, 8)).reinterpret(8).getString(0));
    }
    Settings settings = new Settings("127.0.0.1:1");
    settings.replicas = 0;
    assertEquals("replicas: 0 is less than 1", refused(settings).getMessage());
  }

  @Test
  void rule11BlocksArePinnedAsConfigured() throws Exception {
    Rig.needsStandin();
    String master = Rig.master(SEGMENT);
    Settings settings = new Settings(master);
    settings.pin = MooncakeConfig.Pin.HARD;
    settings.leaseRenewal = Duration.ofMillis(50);
    Rig.set(master, "lease_ms", 20);
    try (Client pinned = new Client(settings);
        Client other = new Client(new Settings(master), Manifests.of("other", Client.BLOCK))) {
      BlockKeys keys = pinned.keys(1, 8);
      pinned.save(keys);
      for (int text = 0; text < 3 * SEGMENT / Client.BLOCK / 8; text++) {
        other.save(other.keys(text, 8));
      }
      assertTrue(Rig.get(master, "evicted") > 0, "the others had to go");
      assertEquals(8, pinned.found(keys));
    }
  }

  @Test
  void rule12ARemovalIsAnchoredAndEscapedAndTakesOneNamespace() throws Exception {
    String master = Rig.master(SEGMENT);
    try (Client client = new Client(new Settings(master))) {
      BlockKeys keys = client.keys(1, 2);
      client.save(keys);
      String prefix = "kv1:" + client.manifest.id().prefix() + ":";
      assertEquals("^" + prefix, KeptManifests.pattern(client.manifest.id()));
      List<String> neighbours = List.of("x" + prefix + "g0", "kv1:" + "0".repeat(32) + ":g0");
      for (String key : neighbours) {
        Raw.put(master, key, new byte[100]);
      }
      client.store.remove(client.manifest.id(), Client.in(10_000));
      for (String key : neighbours) {
        assertEquals(100, Raw.size(master, key), key);
      }
      assertEquals(Codes.OBJECT_NOT_FOUND, Raw.size(master, keys.flatKey(0)));
      String manifestKey = KeptManifests.key(client.manifest.id());
      assertEquals(Codes.OBJECT_NOT_FOUND, Raw.size(master, manifestKey));
    }
  }

  @Test
  void rule13TheConnectorsFileIsReadAndOurOwnSettingsWin() throws Exception {
    Path file = Files.createTempFile("mooncake", ".json");
    try {
      Files.writeString(
          file,
          """
          {"local_hostname": "10.0.0.8", "metadata_server": "http://10.0.0.7:8080/metadata",
           "master_server_address": "10.0.0.7:50051", "protocol": "rdma", "device_name": "mlx5_0",
           "global_segment_size": "1.5gb", "local_buffer_size": 1048576,
           "tenant_id": null, "others": {"a": [1, {"b": 2}]}}
          """);
      Settings settings = new Settings("unused:1");
      settings.master = Optional.empty();
      settings.host = Optional.empty();
      Map<String, String> environment = Map.of(ConnectorFile.VARIABLE, file.toString());
      assertEquals(
          new ClientSettings(
              "10.0.0.8",
              "http://10.0.0.7:8080/metadata",
              3L << 29,
              1 << 20,
              MooncakeConfig.Protocol.RDMA,
              "mlx5_0",
              "10.0.0.7:50051"),
          ClientSettings.of(settings.config(), environment));
      settings.connectorFile = Optional.of(file);
      settings.master = Optional.of("10.0.0.9:50051");
      settings.segment = Optional.of(new ByteSize(0));
      settings.protocol = Optional.of(MooncakeConfig.Protocol.TCP);
      ClientSettings own = ClientSettings.of(settings.config(), Map.of());
      assertEquals("10.0.0.9:50051", own.master());
      assertEquals(0, own.segment());
      assertEquals(MooncakeConfig.Protocol.TCP, own.protocol());
      Files.writeString(file, "{\"global_segment_size\": \"ten\"}");
      StoreException e =
          assertThrows(
              StoreException.class,
              () -> ClientSettings.of(new Settings("a:1").config(), environment));
      assertEquals(
          "%s: \"%s\" global_segment_size: \"ten\" is not a size; write a number of bytes or one such as 16gb, 512mb"
              .formatted(ConnectorFile.VARIABLE, file),
          e.getMessage());
    } finally {
      Files.delete(file);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1gb", "1GB", "1024mb", "1048576kb", "1073741824b", "1073741824", "1 gb"})
  void rule13SizesAreReadByPowersOf1024(String size) throws Exception {
    Path file = Files.createTempFile("mooncake", ".json");
    try {
      Files.writeString(file, "{\"local_buffer_size\": \"" + size + "\"}");
      assertEquals(
          Optional.of(1L << 30),
          ConnectorFile.of(Optional.of(file), Map.of()).size("local_buffer_size"));
    } finally {
      Files.delete(file);
    }
  }

  @Test
  void rule13TheProtocolAndItsDevicesReachTheLibrary() throws Exception {
    Rig.needsStandin();
    Settings settings = new Settings(Rig.master(SEGMENT));
    new Client(settings).close();
    assertEquals("tcp ", Rig.lastSetup());
    settings.protocol = Optional.of(MooncakeConfig.Protocol.RDMA);
    settings.device = Optional.of("mlx5_0,mlx5_1");
    new Client(settings).close();
    assertEquals("rdma mlx5_0,mlx5_1", Rig.lastSetup());
    Path file = Files.createTempFile("mooncake", ".json");
    try {
      Files.writeString(file, "{\"protocol\": \"rdma\", \"device_name\": \"mlx5_bond_0\"}");
      settings.protocol = Optional.empty();
      settings.device = Optional.empty();
      settings.connectorFile = Optional.of(file);
      new Client(settings).close();
      assertEquals("rdma mlx5_bond_0", Rig.lastSetup());
    } finally {
      Files.delete(file);
    }
  }

  @Test
  void rule14FramesAreRegisteredOnceAndBlocksAreMovedInThem() throws Exception {
    Rig.needsStandin();
    try (Client client = new Client(new Settings(Rig.master(SEGMENT)));
        Arena arena = Arena.ofShared()) {
      long before = Rig.get("registered_bytes");
      MemorySegment piece = arena.allocate(1 << 20, 64);
      client.store.frames().register(piece);
      assertEquals(before + (1 << 20), Rig.get("registered_bytes"));
      StoreException e =
          assertThrows(
              StoreException.class, () -> client.store.frames().register(piece.asSlice(4096)));
      assertTrue(e.getMessage().contains("may be registered once"), e.getMessage());
      assertEquals(1 << 20, client.metric("registered.bytes"));
      client.store.frames().unregister(piece);
      assertEquals(before, Rig.get("registered_bytes"));
      assertEquals(Client.BLOCK + Trailer.BYTES, client.store.frames().frameBytes(Client.BLOCK));
      assertEquals(1 << 30, client.store.frames().pieceBytes());
    }
  }

  @Test
  void rule15TheOperatorIsToldThatPortsAreOpenToEverybody() throws Exception {
    String page = Files.readString(Path.of("../docs/mooncake.md")).replaceAll("\\s+", " ");
    assertTrue(page.contains("listens on all interfaces, without authentication"), page);
  }

  /** Removed namespaces end their open views; another one of the same id starts afresh. */
  @Test
  void rule12AnOpenNamespaceThatIsRemovedFindsNothing() throws Exception {
    try (Client client = new Client(new Settings(Rig.master(SEGMENT)))) {
      client.save(client.keys(1, 2));
      client.store.remove(client.manifest.id(), Client.in(10_000));
      assertEquals(0, client.found(client.keys(1, 2)));
      Client.all(BlockStatus.CLOSED, client.save(client.keys(1, 2)));
      try (NamespaceStore again = client.store.open(client.manifest)) {
        Blocks blocks = client.filled(Chains.keys(client.manifest, 1, 2));
        again.save(blocks, Client.in(10_000));
        Client.all(BlockStatus.OK, blocks);
      }
    }
  }
}

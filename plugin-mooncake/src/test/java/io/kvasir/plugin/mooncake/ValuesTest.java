package io.kvasir.plugin.mooncake;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreHealth;
import io.kvasir.conformance.Chains;
import io.kvasir.conformance.Manifests;
import io.kvasir.conformance.Payload;
import io.kvasir.conformance.StoreBench;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What stands in the cluster: blocks with their trailer, raw blocks of LMDeploy, manifests. */
@Timeout(60)
class ValuesTest {
  private static final long SEGMENT = 32 << 20;
  private static final int SMALL = 192;

  @AfterEach
  void takeTheFaultsBack() {
    Rig.clear();
  }

  @Test
  void aValueIsThePayloadAndItsTrailerUnderTheFlatKey() throws Exception {
    String master = Rig.master(SEGMENT);
    try (Client client = new Client(new Settings(master))) {
      BlockKeys keys = client.keys(1, 2);
      client.save(keys);
      byte[] value = Raw.get(master, keys.flatKey(1));
      assertEquals(Client.BLOCK + Trailer.BYTES, value.length);
      assertArrayEquals(
          Payload.bytes((int) Client.BLOCK, StoreBench.number(keys, 1)),
          Arrays.copyOf(value, (int) Client.BLOCK));
      assertEquals(
          "KVMC",
          new String(value, (int) Client.BLOCK, 4, java.nio.charset.StandardCharsets.US_ASCII));
    }
  }

  @Test
  void noFlippedBitOfAValueIsServed() {
    BlockKeys keys = Chains.keys(Manifests.of("team", SMALL), 1, 1);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(SMALL + Trailer.BYTES);
      Payload.fill(value.asSlice(0, SMALL), 7);
      Trailer.seal(keys, 0, value);
      assertEquals(BlockStatus.OK, Trailer.check(keys, 0, value));
      for (long bit = 0; bit < value.byteSize() * 8; bit++) {
        flip(value, bit);
        assertEquals(BlockStatus.CORRUPT, Trailer.check(keys, 0, value), "bit " + bit);
        flip(value, bit);
      }
    }
  }

  private static void flip(MemorySegment value, long bit) {
    byte b = value.get(ValueLayout.JAVA_BYTE, bit / 8);
    value.set(ValueLayout.JAVA_BYTE, bit / 8, (byte) (b ^ 1 << bit % 8));
  }

  @Test
  void aWholeValueOfAnotherKeyIsAMismatchAndStays() throws Exception {
    String master = Rig.master(SEGMENT);
    try (Client client = new Client(new Settings(master))) {
      BlockKeys keys = client.keys(1, 3);
      client.save(keys.slice(0, 1));
      Raw.put(master, keys.flatKey(1), Raw.get(master, keys.flatKey(0)));
      Blocks loaded = client.load(keys.slice(0, 2));
      assertEquals(BlockStatus.OK, loaded.status(0));
      assertEquals(BlockStatus.MISMATCH, loaded.status(1));
      assertEquals(2, client.found(keys), "nobody's bytes are removed on a suspicion");
    }
  }

  @Test
  void duplicatesOfABatchAreFoundWhateverTheirOrder() {
    SplittableRandom random = new SplittableRandom(42);
    for (int turn = 0; turn < 200; turn++) {
      int different = 1 + random.nextInt(9);
      BlockKeys keys = repeating(random, different, 1 + random.nextInt(40));
      Distinct distinct = Distinct.of(keys);
      for (int i = 0; i < keys.count(); i++) {
        int first = distinct.blocks()[distinct.of()[i]];
        assertTrue(first <= i);
        assertArrayEquals(keys.hash(first), keys.hash(i));
        for (int j = 0; j < distinct.count(); j++) {
          assertEquals(
              j == distinct.of()[i], Arrays.equals(keys.hash(distinct.blocks()[j]), keys.hash(i)));
        }
      }
      assertTrue(distinct.count() <= different);
    }
  }

  /** Keys of few different hashes, which share their first bytes as a bad table would like it. */
  private static BlockKeys repeating(SplittableRandom random, int different, int count) {
    io.kvasir.api.identity.KeyChain chain =
        new io.kvasir.api.identity.KeyChain(
            Manifests.of("team", SMALL),
            (_, _, _, _, _) -> {
              byte[] hash = new byte[32];
              hash[31] = (byte) random.nextInt(different);
              return hash;
            },
            Manifests.BLOCK_TOKENS,
            java.util.List.of());
    chain.append(Chains.tokens(1, count));
    return chain.keys(0, 0, 0, count);
  }

  private static NamespaceManifest lmdeploy() {
    return Manifests.of("team", Client.BLOCK)
        .reduced("lmdeploy-v1", Map.of("model", "Qwen2.5-0.5B", "cache_prefix", "prod"));
  }

  private static String lmdeployKey(BlockKeys keys, int block) {
    return "prod@Qwen2.5-0.5B@tp_rank:0@group:0@"
        + java.util.HexFormat.of().formatHex(keys.hash(block));
  }

  @Test
  void rawBlocksOfLmdeployAreReadAndNothingIsAdded() throws Exception {
    String master = Rig.master(SEGMENT);
    try (Client client = new Client(new Settings(master), lmdeploy())) {
      BlockKeys keys = client.keys(1, 3);
      for (int i = 0; i < 2; i++) {
        Raw.put(
            master,
            lmdeployKey(keys, i),
            Payload.bytes((int) Client.BLOCK, StoreBench.number(keys, i)));
      }
      assertEquals(2, client.found(keys));
      Client.all(BlockStatus.OK, client.load(keys.slice(0, 2)));
      Client.all(BlockStatus.MISS, client.load(keys.slice(2, 3)));
      assertEquals(
          Codes.OBJECT_NOT_FOUND, Raw.size(master, KeptManifests.key(client.manifest.id())));
    }
  }

  @Test
  void aRawBlockOfAnotherSizeIsAMismatchAndStays() throws Exception {
    String master = Rig.master(SEGMENT);
    try (Client client = new Client(new Settings(master), lmdeploy())) {
      BlockKeys keys = client.keys(1, 3);
      int[] sizes = {(int) Client.BLOCK - 1, (int) Client.BLOCK + 1, 1};
      for (int i = 0; i < 3; i++) {
        Raw.put(master, lmdeployKey(keys, i), new byte[sizes[i]]);
      }
      Client.all(BlockStatus.MISMATCH, client.load(keys));
      StoreException e =
          assertThrows(
              StoreException.class, () -> client.namespace.remove(keys, Client.in(10_000)));
      assertEquals(StoreException.Kind.UNSUPPORTED, e.kind());
      client.store.remove(client.manifest.id(), Client.in(10_000));
      for (int i = 0; i < 3; i++) {
        assertEquals(sizes[i], Raw.size(master, lmdeployKey(keys, i)), "theirs is left alone");
      }
    }
  }

  @Test
  void aRawBlockThatIsSavedIsThePayloadAlone() throws Exception {
    String master = Rig.master(SEGMENT);
    try (Client client = new Client(new Settings(master), lmdeploy())) {
      BlockKeys keys = client.keys(1, 1);
      Client.all(BlockStatus.OK, client.save(keys));
      assertArrayEquals(
          Payload.bytes((int) Client.BLOCK, StoreBench.number(keys, 0)),
          Raw.get(master, lmdeployKey(keys, 0)));
    }
  }

  @Test
  void aManifestIsPutOnceAndPutAgainWhenMooncakeHasEvictedIt() throws Exception {
    Rig.needsStandin();
    String master = Rig.master(SEGMENT);
    try (Client client = new Client(new Settings(master))) {
      String key = KeptManifests.key(client.manifest.id());
      assertArrayEquals(client.manifest.canonical(), Raw.get(master, key));
      assertTrue(Rig.drop(master, key));
      client.store.open(client.manifest).close();
      assertArrayEquals(client.manifest.canonical(), Raw.get(master, key));
    }
  }

  @Test
  void aManifestOfAnotherSizeIsAMismatch() throws Exception {
    Rig.needsStandin();
    String master = Rig.master(SEGMENT);
    try (Client client = new Client(new Settings(master))) {
      assertTrue(Rig.shorten(master, KeptManifests.key(client.manifest.id()), 10));
      StoreException e =
          assertThrows(StoreException.class, () -> client.store.open(client.manifest).close());
      assertEquals(StoreException.Kind.MISMATCH, e.kind());
      assertTrue(e.getMessage().contains("kvasir rm " + client.manifest.id().hex()));
    }
  }

  @Test
  void aClusterWithoutRoomForAManifestIsOpenedAllTheSame() throws Exception {
    Rig.needsStandin();
    String master = Rig.master(SEGMENT);
    try (Client client = new Client(new Settings(master))) {
      Rig.fail("put_from", null, Codes.NO_AVAILABLE_HANDLE, 20);
      NamespaceManifest next = Manifests.of("next", Client.BLOCK);
      try (NamespaceStore namespace = client.store.open(next)) {
        Blocks blocks = client.filled(Chains.keys(next, 1, 2));
        namespace.save(blocks, Client.in(10_000));
        Client.all(BlockStatus.OK, blocks);
      }
      Rig.clear();
      client.store.open(next).close();
      assertTrue(Raw.size(master, KeptManifests.key(next.id())) > 0);
    }
  }

  @Test
  void aManifestThatSomebodyIsWritingIsPutWhenHeIsGone() throws Exception {
    Rig.needsStandin();
    String master = Rig.master(SEGMENT);
    Rig.set(master, "discard_ms", 300);
    try (Client client = new Client(new Settings(master))) {
      NamespaceManifest next = Manifests.of("next", Client.BLOCK);
      String key = KeptManifests.key(next.id());
      Rig.leaveInFlight(master, key, next.canonical().length);
      client.store.open(next).close();
      assertEquals(Codes.REPLICA_IS_NOT_READY, Raw.size(master, key));
      Thread.sleep(350);
      client.store.open(next).close();
      assertArrayEquals(next.canonical(), Raw.get(master, key));
    }
  }

  @Test
  void aLeaseKeepsBlocksFarBeyondMooncakesOwn() throws Exception {
    Rig.needsStandin();
    String master = Rig.master(SEGMENT);
    Rig.set(master, "lease_ms", 400);
    Settings settings = new Settings(master);
    settings.leaseRenewal = Duration.ofMillis(40);
    try (Client client = new Client(settings);
        Client other = new Client(new Settings(master), Manifests.of("other", Client.BLOCK))) {
      BlockKeys keys = client.keys(1, 8);
      client.save(keys);
      BlockLease lease = client.namespace.lookup(keys, Client.in(10_000));
      assertEquals(8, client.metric("pinned.blocks"));
      long begun = System.nanoTime();
      for (int text = 0; System.nanoTime() - begun < Duration.ofMillis(1500).toNanos(); text++) {
        other.save(other.keys(text, 8));
      }
      assertTrue(Rig.get(master, "evicted") > 0, "others had to go");
      assertTrue(lease.held());
      Client.all(BlockStatus.OK, client.load(keys));
      lease.close();
      assertEquals(0, client.metric("pinned.blocks"));
    }
  }

  @Test
  void aRenewalThatTakesLongerThanItsPeriodIsNoOutage() throws Exception {
    Rig.needsStandin();
    Settings settings = new Settings(Rig.master(SEGMENT));
    settings.leaseRenewal = Duration.ofMillis(20);
    try (Client client = new Client(settings)) {
      BlockKeys keys = client.keys(1, 2);
      client.save(keys);
      BlockLease lease = client.namespace.lookup(keys, Client.in(10_000));
      Rig.delay("batch_is_exist", 100, 5);
      Thread.sleep(700);
      assertEquals(0, client.metric("calls.abandoned"));
      assertEquals(StoreHealth.State.UP, client.store.health().state());
      assertTrue(lease.held());
      lease.close();
    } finally {
      Rig.clear();
    }
  }

  @Test
  void leasesBeyondTheirBoundAreHints() throws Exception {
    Settings settings = new Settings(Rig.master(SEGMENT));
    settings.leased = new io.kvasir.api.ByteSize(5 * Client.BLOCK);
    try (Client client = new Client(settings)) {
      client.save(client.keys(1, 4));
      client.save(client.keys(2, 4));
      Deadline soon = Client.in(10_000);
      BlockLease first = client.namespace.lookup(client.keys(1, 4), soon);
      BlockLease second = client.namespace.lookup(client.keys(2, 4), soon);
      assertTrue(first.held());
      assertEquals(false, second.held());
      assertEquals(4, second.prefix());
      first.close();
      BlockLease third = client.namespace.lookup(client.keys(2, 4), soon);
      assertTrue(third.held());
      third.close();
      second.close();
    }
  }
}

package io.kvasir.core.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockMemory;
import io.kvasir.api.ByteSize;
import io.kvasir.api.Fence;
import io.kvasir.api.GroupedBlocks;
import io.kvasir.api.KvRequest;
import io.kvasir.api.KvasirException;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.PrefixMatch;
import io.kvasir.api.Region;
import io.kvasir.api.SegmentBlocks;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.store.StoreException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * A caller's mistake throws at submit, names the thing and the value, and leaves nothing behind.
 */
final class MistakesTest {
  private final ScriptedStore store = new ScriptedStore();

  private static void refused(String message, Executable call) {
    assertEquals(message, assertThrows(KvasirException.class, call).getMessage());
  }

  @Test
  void aTokenOutOfRangeIsNamed() {
    try (Connector connector = Bench.settings().open(store)) {
      refused(
          "token -7 at 2 is out of range 0 … 2^31-1",
          () -> connector.request(RequestScope.NONE, 1, 2, -7));
      try (KvRequest request = connector.request(RequestScope.NONE, 1, 2)) {
        refused("token -1 at 2 is out of range 0 … 2^31-1", () -> request.append(-1));
      }
      assertTrue(connector.gauges().idle());
    }
  }

  @Test
  void memoryThatDoesNotHoldTheMatchIsNamed() {
    try (Connector connector = Bench.settings().open(store)) {
      Bench.fill(connector, 4, 1);
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(17))) {
        PrefixMatch match = Bench.lookup(request);
        refused(
            "group 0, shard 0: the memory holds the blocks from 0 to before 3, the match needs"
                + " those from 0 to before 4",
            () -> request.load(match, Bench.memory(3, 0)));
        refused(
            "group 0, shard 0: block 0 of the memory has 128 bytes, the format says 256",
            () -> request.load(match, Bench.paged(Arena.ofAuto().allocate(512), 0, 4, 128)));
        refused(
            "no memory for group 0, shard 0 among []",
            () -> request.load(match, new GroupedBlocks(Map.of())));
        Bench.until("nothing waits", () -> connector.gauges().queuedBytes() == 0);
        assertEquals(0, connector.gauges().transfers());
      }
    }
  }

  @Test
  void aSaveOfTheWrongSizeIsRefusedAndItsBlocksCanBeSavedAfterwards() {
    try (Connector connector = Bench.settings().open(store);
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(8))) {
      SegmentBlocks wrong =
          SegmentBlocks.of(
              List.of(
                  List.of(Arena.ofAuto().allocate(Bench.BLOCK)),
                  List.of(Arena.ofAuto().allocate(Bench.BLOCK - 1))));
      refused(
          "group 0, shard 0: block 1 of the memory has 255 bytes, the format says 256",
          () -> request.save(wrong, Fence.none()));
      assertEquals(2, request.save(Bench.memory(2, 1), Fence.none()).await(Bench.soon()).saved());
    }
  }

  @Test
  void aMatchOfAnotherRequestOrAnotherLookupIsNamed() {
    try (Connector connector = Bench.settings().open(store)) {
      Bench.fill(connector, 4, 1);
      try (KvRequest one = connector.request(RequestScope.NONE, Bench.prompt(17));
          KvRequest two = connector.request(RequestScope.NONE, Bench.prompt(17))) {
        PrefixMatch match = Bench.lookup(one);
        refused(
            "a match of request %d given to request %d; load what its own lookup returned"
                .formatted(one.id(), two.id()),
            () -> two.load(match, Bench.memory(4, 0)));
        PrefixMatch invented = new PrefixMatch(one.id(), 12, true, match.status());
        refused(
            "a match of 12 tokens, but the last lookup of request %d found 16; load what it returned"
                .formatted(one.id()),
            () -> one.load(invented, Bench.memory(4, 0)));
      }
    }
  }

  @Test
  void memoryThatNoPathReachesIsNamed() {
    PagedBlocks device =
        new PagedBlocks(
            0,
            List.of(PagedBlocks.Plane.of(Region.device("cuda:0", 64, 1024), 0, Bench.BLOCK)),
            new int[] {0, 1});
    try (Connector connector = Bench.settings().open(store);
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(8));
        Arena confined = Arena.ofConfined()) {
      refused(
          "group 0, shard 0: no transfer path accepts memory of the device cuda:0; give memory of"
              + " the host, or a store with a path for it",
          () -> request.save(device, Fence.none()));
      refused(
          "group 0, shard 0: event 7 of a device for memory of the host; give Fence.none() or"
              + " Fence.when(…)",
          () -> request.save(Bench.memory(2, 1), Fence.event(7)));
      PagedBlocks own = Bench.paged(confined.allocate(512), 0, 2, Bench.BLOCK);
      refused(
          "group 0, shard 0: memory of a confined arena; workers copy, so give memory of a shared"
              + " or automatic one",
          () -> request.save(own, Fence.none()));
      assertEquals(0, store.saves.get());
    }
  }

  @Test
  void memoryThatIsGoneOrMustNotBeWrittenIsNamed() {
    try (Connector connector = Bench.settings().open(store)) {
      Bench.fill(connector, 2, 1);
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(9))) {
        PrefixMatch match = Bench.lookup(request);
        MemorySegment segment = Arena.ofAuto().allocate(2L * Bench.BLOCK);
        MemorySegment closed;
        try (Arena arena = Arena.ofShared()) {
          closed = arena.allocate(2L * Bench.BLOCK);
        }
        String readOnly =
            "group 0, shard 0: read-only memory; a load writes, so give the segment itself and not"
                + " asReadOnly()";
        String gone =
            "group 0, shard 0: memory of an arena that is closed; keep it open until the transfer"
                + " has ended";
        refused(readOnly, () -> request.load(match, segments(segment.asReadOnly())));
        refused(
            readOnly,
            () -> request.load(match, Bench.paged(segment.asReadOnly(), 0, 2, Bench.BLOCK)));
        for (BlockMemory memory :
            List.of(segments(closed), Bench.paged(closed, 0, 2, Bench.BLOCK))) {
          refused(gone, () -> request.load(match, memory));
          refused(gone, () -> request.save(memory, Fence.none()));
        }
        assertEquals(0, connector.gauges().transfers());
        assertEquals(
            2,
            request.load(match, segments(segment), Bench.soon()).await(Bench.soon()).tokens()
                / Bench.TOKENS);
      }
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(9))) {
        MemorySegment segment = Arena.ofAuto().allocate(2L * Bench.BLOCK);
        assertEquals(
            2,
            request.save(segments(segment.asReadOnly()), Fence.none()).await(Bench.soon()).saved());
      }
    }
  }

  private static SegmentBlocks segments(MemorySegment two) {
    return SegmentBlocks.of(
        List.of(
            List.of(two.asSlice(0, Bench.BLOCK)), List.of(two.asSlice(Bench.BLOCK, Bench.BLOCK))));
  }

  @Test
  void nullIsNamed() {
    try (Connector connector = Bench.settings().open(store)) {
      missing(
          "scope: null; give RequestScope.NONE or one with a salt",
          () -> connector.request(null, 1));
      missing(
          "tokens: null; give the tokens of the prompt",
          () -> connector.request(RequestScope.NONE, (int[]) null));
      missing(
          "items: null; give List.of() for text alone",
          () -> connector.request(RequestScope.NONE, new int[] {1}, null));
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(9))) {
        PrefixMatch match = Bench.lookup(request);
        String deadline = "deadline: null; give one, or none for the configured";
        String memory = "memory: null; give the blocks of the engine";
        missing(deadline, () -> request.lookup(null));
        missing(deadline, () -> request.load(match, Bench.memory(2, 0), null));
        missing(memory, () -> request.load(match, null));
        missing(memory, () -> request.save(null, Fence.none()));
        missing(
            "match: null; give what the lookup returned",
            () -> request.load(null, Bench.memory(2, 0)));
        missing(
            "ready: null; give Fence.none() if the bytes are there",
            () -> request.save(Bench.memory(2, 1), null));
      }
      assertTrue(connector.gauges().idle());
    }
  }

  private static void missing(String message, Executable call) {
    assertEquals(message, assertThrows(NullPointerException.class, call).getMessage());
  }

  @Test
  void aClosedConnectorAndAClosedRequestAreNamed() {
    Connector connector = Bench.settings().open(store);
    KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(8));
    connector.close();
    refused(
        "the connector is closed; connect again",
        () -> connector.request(RequestScope.NONE, Bench.prompt(8)));
    refused(
        "the connector is closed; connect again", () -> connector.beginWeightUpdate(Bench.soon()));
    String closed = "request %d is closed; begin another".formatted(request.id());
    refused(closed, request::lookup);
    refused(closed, () -> request.append(1));
    refused(closed, () -> request.save(Bench.memory(2, 1), Fence.none()));
    connector.close();
  }

  @Test
  void aNamespaceThatTheStoreRefusesEndsTheConnect() {
    store.onOpen =
        _ -> {
          throw new StoreException(StoreException.Kind.MISMATCH, "the manifest is damaged");
        };
    refused(
        Bench.DEPLOYMENT + " cannot be opened in the store: the manifest is damaged",
        () -> Bench.settings().open(store));
    Gate gate = new Gate();
    store.onOpen = _ -> gate.pass();
    Bench.Settings hurried = Bench.settings();
    hurried.open = Duration.ofMillis(30);
    hurried.close = Duration.ofMillis(30);
    refused(
        Bench.DEPLOYMENT + " cannot be opened in the store: no answer within PT0.03S",
        () -> hurried.open(store));
    gate.open();
    Bench.until("the late view is closed", () -> store.opened.size() == 1);
    Bench.until("the late view is closed", () -> store.openViews.get() == 0);
  }

  @Test
  void tooFewFramesAreNamed() {
    Bench.Settings settings = Bench.settings();
    settings.frames = 3L * Bench.BLOCK;
    NamespaceManifest deployment = Bench.DEPLOYMENT;
    refused(
        "connector.frames: 768 bytes are too few for frames of 256 bytes; give at least 1024",
        () -> settings.open(store, deployment));
  }

  @Test
  void aQueueThatHoldsNoBatchIsNamed() {
    Bench.Settings settings = Bench.settings();
    settings.batch = 1;
    settings.queue = 255;
    NamespaceManifest deployment = Bench.DEPLOYMENT;
    refused(
        "connector.queue: 255 B is less than a batch of 1 blocks of 256 bytes; give at least 256,"
            + " or lower connector.batch-blocks",
        () -> settings.open(store, deployment));
  }

  @Test
  void aSettingThatCannotWorkIsNamed() {
    Bench.Settings settings = Bench.settings();
    settings.batch = 0;
    refused("batch-blocks: 0 is out of bounds; write 1 to 4096", settings::build);
    settings.batch = 1;
    settings.save = Duration.ZERO;
    refused("save-max-wait: 0ms is not positive; write a time such as 2s", settings::build);
    assertEquals(new ByteSize(256 << 20), ConnectorSettings.defaults().frames());
  }
}

package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockMemory;
import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.GroupedBlocks;
import io.kvasir.api.GroupedBlocks.Part;
import io.kvasir.api.KvConnector;
import io.kvasir.api.KvRequest;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.PrefixMatch;
import io.kvasir.api.Region;
import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.GroupKind;
import io.kvasir.api.format.HitRule;
import io.kvasir.api.format.KvGroup;
import io.kvasir.api.format.Shards;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.conformance.LackingStore.Place;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * A deployment of several groups and two shards, whose store lacks a block of one of the parts: at
 * the lookup, or once it is loaded.
 */
final class SeveralParts {
  private static final int TOKENS = 4; // of a block
  private static final int BLOCKS = 8;
  private static final int WINDOW = 8;
  private static final int SLIDING = 2;
  private static final int FULL_LENGTH = BLOCKS * TOKENS;

  private final KvConnector connector;
  private final LackingStore store;
  private final NamespaceManifest deployment;

  SeveralParts(KvConnector connector, LackingStore store, NamespaceManifest deployment) {
    this.connector = connector;
    this.store = store;
    this.deployment = deployment;
  }

  /** {@return a deployment of two full groups} */
  static NamespaceManifest full() {
    return deployment(full(0), full(1));
  }

  /** {@return a deployment of two full groups and one that needs its last blocks alone} */
  static NamespaceManifest sliding() {
    KvGroup sliding =
        new KvGroup(
            SLIDING,
            GroupKind.SLIDING,
            HitRule.trailing(WINDOW),
            TOKENS,
            WINDOW,
            null,
            null,
            List.of(SLIDING),
            2,
            8,
            8,
            Dtype.BF16,
            Dtype.BF16,
            null);
    return deployment(full(0), full(1), sliding);
  }

  private static NamespaceManifest deployment(KvGroup... groups) {
    return NamespaceManifest.of(
        "team", Manifests.weights(), Manifests.format(new Shards.KvHead(2), groups));
  }

  private static KvGroup full(int id) {
    return KvGroup.full(id, TOKENS, List.of(id), 2, 8, Dtype.BF16);
  }

  /** Fails unless each prefix that is found or loaded is there in all parts. */
  void check() {
    int[] prompt = IntStream.range(0, FULL_LENGTH + 1).toArray();
    try (Arena arena = Arena.ofShared();
        KvRequest request = connector.request(RequestScope.NONE, prompt)) {
      assertTrue(request.save(memory(arena, true), Fence.none()).await(soon()).complete());
    }
    assertEquals(FULL_LENGTH, found(prompt), "with nothing lacking");
    for (Place place : places()) {
      store.lack(place, true);
      assertEquals(longest(place), found(prompt), "tokens found while " + place + " is absent");
    }
    for (Place place : places()) {
      store.lack(place, false);
      load(prompt, place);
    }
  }

  private List<Place> places() {
    List<Place> out = new ArrayList<>();
    for (KvGroup group : deployment.format().groups()) {
      for (int shard = 0; shard < deployment.shards(); shard++) {
        for (int block : new int[] {0, 3, BLOCKS - 2, BLOCKS - 1}) {
          out.add(new Place(group.id(), shard, block));
        }
      }
    }
    return out;
  }

  private int found(int[] prompt) {
    try (KvRequest request = connector.request(RequestScope.NONE, prompt)) {
      return request.lookup(soon()).await(soon()).tokens();
    }
  }

  /** What went away between lookup and load ends the prefix as well. */
  private void load(int[] prompt, Place place) {
    Deadline patience = soon();
    while (found(prompt) < FULL_LENGTH && !patience.expired()) {
      LockSupport.parkNanos(1_000_000); // what failed last may be left alone for a moment
    }
    try (Arena arena = Arena.ofShared();
        KvRequest request = connector.request(RequestScope.NONE, prompt)) {
      PrefixMatch match = request.lookup(soon()).await(soon());
      assertEquals(FULL_LENGTH, match.tokens());
      GroupedBlocks memory = memory(arena, false);
      int usable = request.load(match, memory, soon()).await(soon()).tokens();
      boolean sliding = deployment.groups() > SLIDING;
      if (sliding) { // a shorter prefix needs blocks that were not loaded
        assertTrue(usable <= longest(place), usable + " tokens loaded without " + place);
      } else {
        assertEquals(longest(place), usable, "tokens loaded without " + place);
      }
      for (int block = 0; block < usable / TOKENS; block++) {
        whole(memory, 0, block);
        whole(memory, 1, block);
        if (sliding && needed(usable, block)) {
          whole(memory, SLIDING, block);
        }
      }
    }
  }

  /** {@return the longest prefix that needs no block of this place} */
  private static int longest(Place place) {
    int tokens = FULL_LENGTH;
    while (tokens > 0
        && (place.group() == SLIDING
            ? needed(tokens, place.block())
            : place.block() < tokens / TOKENS)) {
      tokens -= TOKENS;
    }
    return tokens;
  }

  /** {@return whether a prefix of so many tokens needs that block of the sliding group} */
  private static boolean needed(int tokens, int block) {
    return block * TOKENS < tokens && (block + 1) * TOKENS > tokens - WINDOW;
  }

  private void whole(GroupedBlocks memory, int group, int block) {
    for (int shard = 0; shard < deployment.shards(); shard++) {
      int bytes = (int) deployment.payloadBytes(group);
      PagedBlocks part = (PagedBlocks) memory.part(group, shard);
      MemorySegment all = ((Region.Host) part.planes().getFirst().region()).memory();
      assertEquals(
          -1,
          Payload.firstWrong(all.asSlice((long) block * bytes, bytes), number(group, shard, block)),
          "block %d of group %d, shard %d".formatted(block, group, shard));
    }
  }

  private GroupedBlocks memory(Arena arena, boolean filled) {
    Map<Part, BlockMemory> parts = new HashMap<>();
    for (KvGroup group : deployment.format().groups()) {
      for (int shard = 0; shard < deployment.shards(); shard++) {
        long bytes = deployment.payloadBytes(group.id());
        MemorySegment all = arena.allocate(BLOCKS * bytes, 64);
        for (int block = 0; block < BLOCKS && filled; block++) {
          Payload.fill(all.asSlice(block * bytes, bytes), number(group.id(), shard, block));
        }
        PagedBlocks.Plane plane = PagedBlocks.Plane.of(Region.host(all), 0, bytes);
        parts.put(
            new Part(group.id(), shard),
            new PagedBlocks(0, List.of(plane), IntStream.range(0, BLOCKS).toArray()));
      }
    }
    return new GroupedBlocks(parts);
  }

  private static long number(int group, int shard, int block) {
    return 1000L * group + 100L * shard + block;
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(10));
  }
}

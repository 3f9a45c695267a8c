package io.kvasir.core.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.api.BlockMemory;
import io.kvasir.api.BlockStatus;
import io.kvasir.api.Fence;
import io.kvasir.api.GroupedBlocks;
import io.kvasir.api.KvRequest;
import io.kvasir.api.LoadResult;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.PrefixMatch;
import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.HitRule;
import io.kvasir.api.format.KvGroup;
import io.kvasir.api.format.Shards;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** All groups and all shards, or no hit. */
final class SeveralPartsTest {
  private static final KvGroup FULL = KvGroup.full(0, 4, List.of(0), 2, 8, Dtype.BF16);
  private static final NamespaceManifest TWO_SIZES =
      Bench.deployment(Bench.BASE, Shards.ONE, FULL, Bench.sliding(1, 8, 8));
  private static final NamespaceManifest TWO_SHARDS =
      Bench.deployment(Bench.BASE, new Shards.KvHead(2), FULL);
  private final ScriptedStore store = new ScriptedStore();

  private static void fill(Connector connector, NamespaceManifest deployment, int tokens) {
    try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(tokens))) {
      request
          .save(Bench.grouped(deployment, tokens, 1), Fence.none())
          .await(Bench.soon())
          .parts()
          .forEach(p -> p.statuses().forEach(s -> assertEquals(BlockStatus.OK, s)));
    }
  }

  private void drop(NamespaceManifest deployment, int group, int shard, int block) {
    int size = deployment.format().groups().get(group).blockTokens();
    Chains chains =
        new Chains(
            Layout.of(deployment),
            deployment,
            Bench.STRICT.hasher(deployment, RequestScope.NONE),
            Bench.prompt(64),
            List.of());
    BlockKeys keys = chains.keys(new Part(0, group, shard, size, 1, HitRule.ALL), block, block + 1);
    store.blocks.remove(ScriptedStore.key(keys, 0));
  }

  private int found(NamespaceManifest deployment, int prompt) {
    try (Connector connector = Bench.settings().open(store, deployment);
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(prompt))) {
      return Bench.lookup(request).tokens();
    }
  }

  @Test
  void aPrefixIsAMultipleOfAllBlockSizes() {
    try (Connector connector = Bench.settings().open(store, TWO_SIZES)) {
      fill(connector, TWO_SIZES, 64);
    }
    assertEquals(56, found(TWO_SIZES, 64));
    assertEquals(8, found(TWO_SIZES, 15));
    assertEquals(0, found(TWO_SIZES, 8));
  }

  @Test
  void aSlidingGroupNeedsOnlyTheBlocksOfItsLastTokens() {
    try (Connector connector = Bench.settings().open(store, TWO_SIZES)) {
      fill(connector, TWO_SIZES, 64);
    }
    for (int block = 0; block < 5; block++) {
      drop(TWO_SIZES, 1, 0, block);
    }
    assertEquals(56, found(TWO_SIZES, 64), "blocks 0 to 4 of the sliding group lie before 40");
    drop(TWO_SIZES, 1, 0, 6);
    assertEquals(48, found(TWO_SIZES, 64), "block 5 ends at 48");
    drop(TWO_SIZES, 0, 0, 8);
    assertEquals(0, found(TWO_SIZES, 64), "32 in the full group, and block 3 is gone");
  }

  @Test
  void onlyTheTrailingBlocksOfASlidingGroupAreLoaded() {
    try (Connector connector = Bench.settings().open(store, TWO_SIZES)) {
      fill(connector, TWO_SIZES, 64);
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(64))) {
        PrefixMatch match = Bench.lookup(request);
        Map<GroupedBlocks.Part, BlockMemory> parts =
            new HashMap<>(Bench.grouped(TWO_SIZES, 64, 0).parts());
        long bytes = TWO_SIZES.payloadBytes(1);
        PagedBlocks last = Bench.paged(Arena.ofAuto().allocate(bytes), 6, 1, bytes);
        parts.put(new GroupedBlocks.Part(1, 0), last);
        LoadResult result = request.load(match, new GroupedBlocks(parts)).await(Bench.soon());
        assertEquals(56, result.tokens());
        assertEquals(new LoadResult.Part(1, 0, 6, List.of(BlockStatus.OK)), result.parts().get(1));
        assertEquals(1 + 6 + 16, Bench.at(last, 6));
      }
    }
  }

  @Test
  void aShardThatMissesABlockEndsThePrefixOfAll() {
    try (Connector connector = Bench.settings().open(store, TWO_SHARDS)) {
      fill(connector, TWO_SHARDS, 32);
    }
    assertEquals(28, found(TWO_SHARDS, 32));
    drop(TWO_SHARDS, 0, 1, 3);
    assertEquals(12, found(TWO_SHARDS, 32));
  }

  @Test
  void aBlockThatFailsInOneGroupClampsThePrefixOfAll() {
    NamespaceManifest twoGroups =
        Bench.deployment(
            Bench.BASE, Shards.ONE, FULL, KvGroup.full(1, 4, List.of(1), 2, 16, Dtype.BF16));
    try (Connector connector = Bench.settings().open(store, twoGroups)) {
      fill(connector, twoGroups, 32);
      store.onLoad =
          blocks -> {
            for (int i = 0; i < blocks.count(); i++) {
              if (blocks.keys().group() == 1 && blocks.keys().firstBlock() + i == 5) {
                blocks.set(i, BlockStatus.IO);
              }
            }
          };
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(32))) {
        PrefixMatch match = Bench.lookup(request);
        assertEquals(28, match.tokens());
        LoadResult result =
            request.load(match, Bench.grouped(twoGroups, 32, 0)).await(Bench.soon());
        assertEquals(20, result.tokens());
        assertEquals(7, result.parts().get(0).firstBad());
        assertEquals(5, result.parts().get(1).firstBad());
      }
    }
  }

  @Test
  void aGroupWhoseLookupFailsMakesTheWholeLookupFail() {
    try (Connector connector = Bench.settings().open(store, TWO_SIZES)) {
      fill(connector, TWO_SIZES, 64);
      store.onLookup =
          keys -> {
            if (keys.group() == 1) {
              throw new IllegalStateException("one group");
            }
          };
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(64))) {
        assertEquals(PrefixMatch.none(request.id(), BlockStatus.IO), Bench.lookup(request));
        Bench.until("released", () -> store.leases.get() == 0);
      }
    }
  }
}

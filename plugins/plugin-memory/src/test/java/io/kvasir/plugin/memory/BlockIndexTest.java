package io.kvasir.plugin.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.conformance.Chains;
import io.kvasir.conformance.Manifests;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

/** What goes first when room is needed, and when a lease ends by itself. */
class BlockIndexTest {
  private static final NamespaceManifest TEAM = Manifests.of("team", 4096);
  private static final long ROOM = 8 * (4096 + Block.OVERHEAD);

  private long now;
  private final BlockIndex index = new BlockIndex(ROOM, () -> now);

  private boolean publish(BlockKeys keys, int block, long tick) {
    byte[] parent = keys.parent(block);
    Block.Key before = parent == null ? null : Block.Key.of(keys, parent);
    Block.Key key = Block.Key.of(keys, block);
    return index.publish(
        new Block(key, before, keys.firstBlock() + block, new byte[4096], 0), tick);
  }

  private void publishAll(BlockKeys keys) {
    long tick = index.tick();
    for (int i = 0; i < keys.count(); i++) {
      publish(keys, i, tick);
    }
  }

  private BitSet present(BlockKeys keys) {
    BitSet out = new BitSet();
    for (int i = 0; i < keys.count(); i++) {
      out.set(i, index.contains(Block.Key.of(keys, i)));
    }
    return out;
  }

  private static BitSet bits(int from, int to) {
    BitSet out = new BitSet();
    out.set(from, to);
    return out;
  }

  @Test
  void leastRecentlyUsedChainLosesItsTailFirst() {
    BlockKeys old = Chains.keys(TEAM, 1, 4);
    BlockKeys used = Chains.keys(TEAM, 2, 4);
    publishAll(old);
    publishAll(used);
    publishAll(Chains.keys(TEAM, 3, 2));
    assertEquals(bits(0, 2), present(old));
    assertEquals(bits(0, 4), present(used));
  }

  @Test
  void headOfAChainIsUsedWhenItsTailIs() {
    BlockKeys chain = Chains.keys(TEAM, 1, 6);
    publishAll(chain.slice(0, 3));
    BlockKeys between = Chains.keys(TEAM, 2, 2);
    publishAll(between);
    publishAll(chain.slice(3, 6)); // a later chunk of the same prompt
    publishAll(Chains.keys(TEAM, 3, 2));
    assertEquals(bits(0, 6), present(chain));
    assertEquals(bits(0, 0), present(between));
  }

  @Test
  void chainThatDoesNotFitKeepsItsHead() {
    BlockKeys chain = Chains.keys(TEAM, 1, 12);
    publishAll(chain);
    assertEquals(bits(0, 8), present(chain));
  }

  @Test
  void leaseEndsByItselfAfterThirtySecondsUnlessItIsRenewed() {
    BlockKeys keys = Chains.keys(TEAM, 1, 2);
    publishAll(keys);
    BlockLease lease = index.lookup(keys, null);
    assertTrue(lease.held());
    now += BlockLease.LASTS.toNanos() - 1;
    assertTrue(lease.renew());
    now += BlockLease.LASTS.toNanos() - 1;
    assertTrue(lease.held());
    assertEquals(2, index.usage().leasedBlocks());
    now += 1;
    assertFalse(lease.held());
    assertFalse(lease.renew());
    assertEquals(0, index.usage().leasedBlocks());
    publishAll(Chains.keys(TEAM, 2, 8));
    assertEquals(bits(0, 0), present(keys));
  }

  @Test
  void blockLeasedTwiceIsCountedOnceAndKeptUntilBothEnd() {
    BlockKeys keys = Chains.keys(TEAM, 1, 4);
    publishAll(keys);
    BlockLease one = index.lookup(keys, null);
    BlockLease two = index.lookup(keys, null);
    assertEquals(4, index.usage().leasedBlocks());
    BlockKeys more = Chains.keys(TEAM, 2, 1);
    publishAll(more);
    assertFalse(index.lookup(more, null).held(), "half of the store is leased already");
    one.close();
    publishAll(Chains.keys(TEAM, 3, 8));
    assertEquals(bits(0, 4), present(keys));
    two.close();
    publishAll(Chains.keys(TEAM, 4, 8));
    assertEquals(bits(0, 0), present(keys));
  }
}

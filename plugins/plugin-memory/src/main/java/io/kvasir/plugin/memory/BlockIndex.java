package io.kvasir.plugin.memory;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.StoreUsage;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/**
 * The committed blocks of all namespaces: found by key, evicted least recently used and tail first,
 * never while leased. At most half of the capacity is leased. Thread-safe by its monitor.
 */
final class BlockIndex {
  private final long capacity;
  private final LongSupplier nanoTime;
  private final Map<Block.Key, Block> blocks = new HashMap<>();
  private final TreeSet<Block> victims = new TreeSet<>(Block.VICTIMS); // those without a lease
  private final LinkedHashSet<MemoryLease> leases = new LinkedHashSet<>(); // the oldest first
  private long clock;
  private long occupied;
  private long payload;
  private long leasedBytes;
  private long leasedBlocks;

  BlockIndex(long capacity, LongSupplier nanoTime) {
    this.capacity = capacity;
    this.nanoTime = nanoTime;
  }

  /** Counts bytes that are no blocks; false if there is no room for them. */
  synchronized boolean reserve(long bytes) {
    clock++;
    if (!makeRoom(bytes, null)) {
      return false;
    }
    occupied += bytes;
    return true;
  }

  synchronized void release(long bytes) {
    occupied -= bytes;
  }

  synchronized boolean contains(Block.Key key) {
    return blocks.containsKey(key);
  }

  /** {@return a tick: all blocks that one call uses are used at the same time} */
  synchronized long tick() {
    return ++clock;
  }

  /** {@return the block, used at that tick together with those before it in its chain; or null} */
  synchronized Block use(Block.Key key, long tick) {
    Block found = blocks.get(key);
    for (Block b = found; b != null && b.lastUsed < tick; b = parentOf(b)) {
      touch(b, tick);
    }
    return found;
  }

  private Block parentOf(Block block) {
    return block.parent == null ? null : blocks.get(block.parent);
  }

  private void touch(Block block, long tick) {
    boolean victim = victims.remove(block);
    block.lastUsed = tick;
    if (victim) {
      victims.add(block);
    }
  }

  /**
   * Publishes a block unless its key is taken.
   *
   * @return whether the key is there now; false if there is no room
   */
  synchronized boolean publish(Block block, long tick) {
    if (use(block.key, tick) != null) {
      return true;
    }
    if (block.parent != null) {
      use(block.parent, tick);
    }
    block.lastUsed = tick;
    if (!makeRoom(block.occupied(), block)) {
      return false;
    }
    blocks.put(block.key, block);
    victims.add(block);
    occupied += block.occupied();
    payload += block.bytes.length;
    return true;
  }

  /** Evicts until the bytes fit, but nothing that is worth more than the newcomer. */
  private boolean makeRoom(long bytes, Block newcomer) {
    if (bytes > capacity) {
      return false;
    }
    expire();
    while (occupied + bytes > capacity) {
      Block victim = victims.isEmpty() ? null : victims.first();
      if (victim == null || (newcomer != null && Block.VICTIMS.compare(victim, newcomer) > 0)) {
        return false;
      }
      drop(victim);
    }
    return true;
  }

  /** Removes a block, leased or not. */
  synchronized void remove(Block.Key key) {
    Block block = blocks.get(key);
    if (block != null) {
      drop(block);
    }
  }

  /** Removes this very block, not one that came in its place. */
  synchronized void remove(Block block) {
    if (blocks.get(block.key) == block) {
      drop(block);
    }
  }

  /** Removes the blocks of one namespace. */
  synchronized void removeAll(NamespaceId namespace) {
    for (Block block : List.copyOf(blocks.values())) {
      if (block.key.namespace().equals(namespace)) {
        drop(block);
      }
    }
  }

  private void drop(Block block) {
    blocks.remove(block.key);
    victims.remove(block);
    occupied -= block.occupied();
    payload -= block.bytes.length;
    if (block.leases > 0) {
      block.leases = 0;
      leasedBytes -= block.occupied();
      leasedBlocks--;
    }
  }

  /** Says which blocks are there, uses and leases them; a hint if that would be too much. */
  synchronized BlockLease lookup(BlockKeys keys, MemoryNamespaceStore owner) {
    expire();
    long tick = ++clock;
    BitSet present = new BitSet(keys.count());
    List<Block> found = new ArrayList<>();
    long more = 0;
    for (int i = 0; i < keys.count(); i++) {
      Block block = use(Block.Key.of(keys, i), tick);
      if (block != null) {
        present.set(i);
        found.add(block);
        more += block.leases == 0 ? block.occupied() : 0;
      }
    }
    if (found.isEmpty() || leasedBytes + more > capacity / 2) {
      return BlockLease.hint(keys, present);
    }
    for (Block block : found) {
      if (block.leases++ == 0) {
        leasedBytes += block.occupied();
        leasedBlocks++;
        victims.remove(block);
      }
    }
    MemoryLease lease = new MemoryLease(this, owner, keys, present, found);
    lease.expires = nanoTime.getAsLong() + BlockLease.LASTS.toNanos();
    leases.add(lease);
    return lease;
  }

  synchronized boolean held(MemoryLease lease) {
    expire();
    return leases.contains(lease);
  }

  synchronized boolean renew(MemoryLease lease) {
    expire();
    if (!leases.remove(lease)) {
      return false;
    }
    lease.expires = nanoTime.getAsLong() + BlockLease.LASTS.toNanos();
    leases.add(lease); // behind all others: each lasts equally long
    return true;
  }

  synchronized void end(MemoryLease lease) {
    if (!leases.remove(lease)) {
      return;
    }
    for (Block block : lease.blocks) {
      if (block.leases > 0 && --block.leases == 0) {
        leasedBytes -= block.occupied();
        leasedBlocks--;
        victims.add(block);
      }
    }
  }

  /** Ends the leases that a view of a namespace gave. */
  synchronized void endAll(MemoryNamespaceStore owner) {
    for (MemoryLease lease : List.copyOf(leases)) {
      if (lease.owner == owner) {
        end(lease);
      }
    }
  }

  private void expire() {
    long now = nanoTime.getAsLong();
    while (!leases.isEmpty() && leases.getFirst().expires - now <= 0) {
      end(leases.getFirst());
    }
  }

  /** {@return the number of blocks of a namespace, and the bytes of their payloads} */
  synchronized long[] count(NamespaceId namespace) {
    long[] count = new long[2];
    for (Block block : blocks.values()) {
      if (block.key.namespace().equals(namespace)) {
        count[0]++;
        count[1] += block.bytes.length;
      }
    }
    return count;
  }

  synchronized StoreUsage usage() {
    expire();
    return new StoreUsage(blocks.size(), payload, occupied, capacity, leasedBlocks);
  }

  /** Forgets everything. */
  synchronized void clear() {
    List.copyOf(leases).forEach(this::end);
    List.copyOf(blocks.values()).forEach(this::drop);
  }

  /** {@return the stored bytes of a block, for tests that damage them; null if absent} */
  synchronized byte[] storedBytes(Block.Key key) {
    Block block = blocks.get(key);
    return block == null ? null : block.bytes;
  }
}

package io.kvasir.plugin.memory;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.zip.CRC32C;

/** An open namespace of a {@link MemoryStore}. */
final class MemoryNamespaceStore implements NamespaceStore {
  private static final int PIECE = 16 << 10;

  private final MemoryStore store;
  private final Namespace namespace;
  private volatile boolean closed;

  MemoryNamespaceStore(MemoryStore store, Namespace namespace) {
    this.store = store;
    this.namespace = namespace;
  }

  @Override
  public BlockLease lookup(BlockKeys keys, Deadline deadline) throws StoreException {
    own(keys);
    enter(deadline);
    try {
      store.recent.succeeded();
      namespace.use();
      synchronized (store.index) {
        return namespace.removed
            ? BlockLease.hint(keys, new BitSet())
            : store.index.lookup(keys, this);
      }
    } finally {
      store.gate.leave();
    }
  }

  @Override
  public void load(BlockLease lease, Blocks into, Deadline deadline) {
    own(into.keys());
    try {
      enter(deadline);
    } catch (StoreException e) {
      into.setRest(status(e), e);
      return;
    }
    try {
      namespace.use();
      long tick = store.index.tick();
      for (int i = 0; i < into.count() && !deadline.expired(); i++) {
        load(into, i, tick);
      }
      finish(into);
    } finally {
      store.gate.leave();
    }
  }

  private void load(Blocks into, int i, long tick) {
    Block block = find(Block.Key.of(into.keys(), i), tick);
    if (block == null) {
      into.set(i, BlockStatus.MISS);
      return;
    }
    MemorySegment payload = into.frame(i).payload();
    CRC32C crc = new CRC32C();
    long length = copy(block, payload, crc);
    if (store.checksum() && (length != payload.byteSize() || (int) crc.getValue() != block.crc)) {
      StoreException cause =
          new StoreException(
              Kind.IO,
              "%s: read %d of %d bytes, or their CRC-32C is wrong"
                  .formatted(into.keys().flatKey(i), length, payload.byteSize()));
      into.set(i, BlockStatus.CORRUPT, cause);
      store.failed(cause);
      quarantine(block);
    } else {
      into.set(i, BlockStatus.OK);
    }
  }

  private Block find(Block.Key key, long tick) {
    synchronized (store.index) {
      return namespace.removed ? null : store.index.use(key, tick);
    }
  }

  /** Only what is proven corrupt goes: a fault on the way leaves the stored block alone. */
  private void quarantine(Block block) {
    if (crc(MemorySegment.ofArray(block.bytes)) != block.crc) {
      store.index.remove(block);
    }
  }

  /**
   * {@return the bytes that a read brought} They are summed up piece by piece as they arrive, while
   * they are in the core's cache.
   */
  private long copy(Block block, MemorySegment to, CRC32C crc) {
    Gate.Spoil spoil = store.gate.next();
    int length = spoil == Gate.Spoil.SHORT ? block.bytes.length / 2 : block.bytes.length;
    int flipped = spoil == Gate.Spoil.FLIPPED ? Math.floorMod(block.crc, length) : length;
    ByteBuffer arrived = to.asByteBuffer();
    for (int from = 0; from < length; from += PIECE) {
      int end = Math.min(length, from + PIECE);
      MemorySegment.copy(block.bytes, from, to, ValueLayout.JAVA_BYTE, from, end - from);
      if (from <= flipped && flipped < end) {
        arrived.put(flipped, (byte) (arrived.get(flipped) ^ 0x10));
      }
      if (store.checksum()) {
        crc.update(arrived.limit(end).position(from));
      }
    }
    return length;
  }

  @Override
  public void save(Blocks from, Deadline deadline) {
    own(from.keys());
    try {
      enter(deadline);
    } catch (StoreException e) {
      from.setRest(status(e), e);
      return;
    }
    try {
      namespace.use();
      long tick = store.index.tick();
      for (int i = 0; i < from.count() && !deadline.expired(); i++) {
        save(from, i, tick);
      }
      finish(from);
    } finally {
      store.gate.leave();
    }
  }

  private void save(Blocks from, int i, long tick) {
    BlockKeys keys = from.keys();
    Block.Key key = Block.Key.of(keys, i);
    if (find(key, tick) != null) {
      from.set(i, BlockStatus.OK);
      return;
    }
    byte[] bytes = from.frame(i).payload().toArray(ValueLayout.JAVA_BYTE);
    byte[] parent = keys.parent(i);
    Block block =
        new Block(
            key,
            parent == null ? null : Block.Key.of(keys, parent),
            keys.firstBlock() + i,
            bytes,
            crc(MemorySegment.ofArray(bytes)));
    synchronized (store.index) {
      if (namespace.removed) {
        from.set(i, BlockStatus.CLOSED, removed());
      } else {
        boolean there = store.index.publish(block, tick);
        from.set(i, there ? BlockStatus.OK : BlockStatus.CAPACITY);
      }
    }
  }

  /** Blocks that the loop did not reach are those that the deadline cut off. */
  private void finish(Blocks blocks) {
    boolean cut = false;
    for (int i = 0; i < blocks.count(); i++) {
      cut |= blocks.status(i) == null;
    }
    StoreException cause = new StoreException(Kind.TIMEOUT, "the deadline passed half-way");
    if (cut) {
      store.failed(cause);
      blocks.setRest(BlockStatus.TIMEOUT, cause);
    } else {
      store.recent.succeeded();
    }
  }

  @Override
  public void remove(BlockKeys keys, Deadline deadline) throws StoreException {
    own(keys);
    checkOpen();
    store.remove(keys, deadline);
  }

  @Override
  public void close() {
    closed = true;
    store.index.endAll(this);
  }

  private void enter(Deadline deadline) throws StoreException {
    checkOpen();
    try {
      store.gate.enter(deadline);
    } catch (StoreException e) {
      store.failed(e);
      throw e;
    }
  }

  private void checkOpen() throws StoreException {
    if (closed) {
      throw new StoreException(Kind.CLOSED, "namespace %s is closed".formatted(namespace.id));
    }
  }

  private StoreException removed() {
    return new StoreException(
        Kind.CLOSED, "namespace %s was removed; open it again".formatted(namespace.id));
  }

  private void own(BlockKeys keys) {
    if (!keys.namespace().id().equals(namespace.id)) {
      throw new IllegalArgumentException(
          "keys of %s in namespace %s".formatted(keys.namespace(), namespace.id));
    }
  }

  private static BlockStatus status(StoreException e) {
    return switch (e.kind()) {
      case TIMEOUT -> BlockStatus.TIMEOUT;
      case CLOSED -> BlockStatus.CLOSED;
      default -> BlockStatus.IO;
    };
  }

  private static int crc(MemorySegment bytes) {
    CRC32C crc = new CRC32C();
    ByteBuffer buffer = bytes.asByteBuffer();
    crc.update(buffer);
    return (int) crc.getValue();
  }
}

package io.kvasir.plugin.memory;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.BlockLease;
import java.util.BitSet;
import java.util.List;

/** A lease that the {@link BlockIndex} keeps. */
final class MemoryLease implements BlockLease {
  private final BlockIndex index;
  private final BlockKeys keys;
  private final BitSet present;
  final MemoryNamespaceStore owner;
  final List<Block> blocks;
  long expires; // guarded by the index; a value of System.nanoTime()

  MemoryLease(
      BlockIndex index,
      MemoryNamespaceStore owner,
      BlockKeys keys,
      BitSet present,
      List<Block> blocks) {
    this.index = index;
    this.owner = owner;
    this.keys = keys;
    this.present = present;
    this.blocks = blocks;
  }

  @Override
  public BlockKeys keys() {
    return keys;
  }

  @Override
  public boolean present(int block) {
    return present.get(block);
  }

  @Override
  public boolean held() {
    return index.held(this);
  }

  @Override
  public boolean renew() {
    return index.renew(this);
  }

  @Override
  public void close() {
    index.end(this);
  }
}

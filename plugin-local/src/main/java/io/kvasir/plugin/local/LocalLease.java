package io.kvasir.plugin.local;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.BlockLease;
import java.util.function.Consumer;

/** What a lookup found in one slab. */
final class LocalLease implements BlockLease {
  private final BlockKeys keys;
  private final Slab slab;
  private final SlotLease slots;
  private final Consumer<LocalLease> onClose;

  LocalLease(BlockKeys keys, Slab slab, SlotLease slots, Consumer<LocalLease> onClose) {
    this.keys = keys;
    this.slab = slab;
    this.slots = slots;
    this.onClose = onClose;
  }

  static long expiry() {
    return System.nanoTime() + LASTS.toNanos();
  }

  @Override
  public BlockKeys keys() {
    return keys;
  }

  @Override
  public boolean present(int block) {
    return slots.slots[block] != SlotTable.NONE;
  }

  @Override
  public boolean held() {
    return slab.held(slots);
  }

  @Override
  public boolean renew() {
    return slab.renew(slots, expiry());
  }

  @Override
  public void close() {
    slab.release(slots);
    onClose.accept(this);
  }
}

package io.kvasir.plugin.mooncake;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.BlockLease;
import java.util.BitSet;

/** A lease of {@link Leases}, behind which Mooncake's own is renewed. */
final class MooncakeLease implements BlockLease {
  private final Leases leases;
  private final BlockKeys keys;
  private final BitSet present;
  private volatile long expires;
  private volatile boolean ended;

  MooncakeLease(Leases leases, BlockKeys keys, BitSet present) {
    this.leases = leases;
    this.keys = keys;
    this.present = present;
    this.expires = System.nanoTime() + LASTS.toNanos();
  }

  @Override
  public BlockKeys keys() {
    return keys;
  }

  @Override
  public boolean present(int block) {
    return present.get(block);
  }

  int blocks() {
    return present.cardinality();
  }

  @Override
  public boolean held() {
    return !ended && System.nanoTime() - expires < 0;
  }

  @Override
  public boolean renew() {
    if (!held()) {
      return false;
    }
    expires = System.nanoTime() + LASTS.toNanos();
    return true;
  }

  @Override
  public void close() {
    ended = true;
    leases.ended(this);
  }
}

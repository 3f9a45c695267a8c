package io.kvasir.api.store;

import io.kvasir.api.identity.BlockKeys;
import java.time.Duration;
import java.util.BitSet;
import java.util.function.IntPredicate;

/**
 * What a lookup found, kept loadable until closed or expired. Thread-safe.
 *
 * <p>A lease that cannot be given (at most half of a store's capacity is leased) is a hint: it says
 * what was there, and a load may find less.
 */
public interface BlockLease extends AutoCloseable {
  /** How long a lease lasts unless it is renewed. */
  Duration LASTS = Duration.ofSeconds(30);

  /** {@return the keys that were looked up} */
  BlockKeys keys();

  /** {@return whether block {@code i} of the keys was committed} */
  boolean present(int block);

  /** {@return how many blocks from the first on were committed} */
  default int prefix() {
    int n = 0;
    while (n < keys().count() && present(n)) {
      n++;
    }
    return n;
  }

  /** {@return whether the blocks are kept; false for a hint, and once closed or expired} */
  boolean held();

  /** {@return whether the lease holds for {@link #LASTS} from now; false if it had ended} */
  boolean renew();

  /** Lets the blocks go. Repeating does nothing. */
  @Override
  void close();

  /** {@return a lease that keeps nothing} */
  static BlockLease hint(BlockKeys keys, BitSet present) {
    return new Hint(keys, (BitSet) present.clone());
  }

  /** {@return a lease that keeps nothing, for the blocks that a test finds} */
  static BlockLease hint(BlockKeys keys, IntPredicate present) {
    BitSet found = new BitSet(keys.count());
    for (int i = 0; i < keys.count(); i++) {
      found.set(i, present.test(i));
    }
    return new Hint(keys, found);
  }

  /** Keeps nothing. */
  record Hint(BlockKeys keys, BitSet found) implements BlockLease {
    @Override
    public boolean present(int block) {
      return found.get(block);
    }

    @Override
    public boolean held() {
      return false;
    }

    @Override
    public boolean renew() {
      return false;
    }

    @Override
    public void close() {}
  }
}

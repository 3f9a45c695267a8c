package io.kvasir.conformance;

import io.kvasir.api.store.Capabilities;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One step of a random history.
 *
 * @param kind what is done
 * @param tenant whose namespace it is done in
 * @param text which chain of blocks
 * @param from the first block of the chain
 * @param to the block behind the last one
 */
record Operation(Kind kind, int tenant, int text, int from, int to) {
  static final int TENANTS = 2;
  static final int TEXTS = 3;
  static final int BLOCKS = 6;

  enum Kind {
    SAVE,
    LOAD,
    LOOKUP,
    LEASE,
    REMOVE,
    REMOVE_ALL,
    REOPEN,
    RESTART
  }

  /** {@return a history of what a backend with these capabilities can do} */
  static List<Operation> random(SplittableRandom random, Capabilities claims, int length) {
    List<Operation> out = new ArrayList<>();
    while (out.size() < length) {
      int from = random.nextInt(BLOCKS);
      out.add(
          new Operation(
              kind(random.nextInt(100), claims),
              random.nextInt(TENANTS),
              random.nextInt(TEXTS),
              from,
              from + 1 + random.nextInt(BLOCKS - from)));
    }
    return out;
  }

  private static Kind kind(int chance, Capabilities claims) {
    if (chance < 35) {
      return Kind.SAVE;
    }
    if (chance < 55 || (chance < 85 && !claims.scopedDelete())) {
      return Kind.LOAD;
    }
    if (chance < 80) {
      return Kind.REMOVE;
    }
    if (chance < 85) {
      return Kind.REMOVE_ALL;
    }
    if (chance < 92) {
      return chance < 88 ? Kind.LOOKUP : Kind.LEASE;
    }
    return chance < 98 || !claims.persistent() ? Kind.REOPEN : Kind.RESTART;
  }

  @Override
  public String toString() {
    String blocks = "tenant %d, text %d, blocks %d to %d".formatted(tenant, text, from, to - 1);
    return switch (kind) {
      case SAVE -> "save " + blocks;
      case LOAD -> "load " + blocks;
      case LOOKUP -> "lookup " + blocks;
      case LEASE -> "lookup and hold " + blocks;
      case REMOVE -> "remove " + blocks;
      case REMOVE_ALL -> "remove tenant " + tenant;
      case REOPEN -> "close and open tenant " + tenant;
      case RESTART -> "close and open the store";
    };
  }
}

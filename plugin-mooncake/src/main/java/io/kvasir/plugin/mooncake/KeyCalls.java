package io.kvasir.plugin.mooncake;

import io.kvasir.api.identity.BlockKeys;

/** The calls of the library that want keys alone, to be made through {@link Cluster#call}. */
record KeyCalls(Cluster cluster, Naming naming, BlockKeys keys) {
  private static final int FORCE = 1;

  /** {@return whether keys can be read: 1, 0, or a negative code for each} */
  Calls.Work exist(int[] which, int count) {
    byte[] prefix = naming.prefix(keys);
    return (handle, scratch) -> {
      scratch.write(prefix, keys, which, count);
      int code = cluster.abi().batchIsExist(handle, scratch.keys(), count, scratch.results());
      return scratch.ints(code);
    };
  }

  /** {@return how large values are; a code where there is none} */
  Calls.Work sizes(int... which) {
    return each(which, which.length, cluster.abi()::getSize);
  }

  /** {@return the removal of keys, leased or not: a code for each} */
  Calls.Work removal(int[] which, int count) {
    return each(which, count, (handle, key) -> cluster.abi().remove(handle, key, FORCE));
  }

  /** A call with one key. */
  @FunctionalInterface
  private interface One {
    long run(long handle, long key);
  }

  private Calls.Work each(int[] which, int count, One one) {
    byte[] prefix = naming.prefix(keys);
    return (handle, scratch) -> {
      scratch.write(prefix, keys, which, count);
      long[] codes = new long[count];
      for (int i = 0; i < count; i++) {
        codes[i] = one.run(handle, scratch.key(i));
      }
      return codes;
    };
  }
}

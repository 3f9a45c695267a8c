package io.kvasir.benchmarks.policies;

/** A cache of block ids that holds at most a fixed number of them. */
interface Policy {
  /** {@return whether the block is in the cache; changes nothing} */
  boolean has(int block);

  /** Uses a block: brings it in if it is not there and the policy admits it. */
  void use(int block);

  /**
   * Uses the blocks of a request, the whole chain. The order in which a chain is used decides which
   * end of it an eviction takes first.
   */
  default void request(int[] chain) {
    for (int block : chain) {
      use(block);
    }
  }

  /**
   * The same policy, each request used from its tail to its head: of two ends the tail is older.
   */
  static Policy tailFirst(Policy policy) {
    return new Policy() {
      @Override
      public boolean has(int block) {
        return policy.has(block);
      }

      @Override
      public void use(int block) {
        policy.use(block);
      }

      @Override
      public void request(int[] chain) {
        for (int i = chain.length - 1; i >= 0; i--) {
          policy.use(chain[i]);
        }
      }
    };
  }
}

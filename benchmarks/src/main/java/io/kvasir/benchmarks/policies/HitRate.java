package io.kvasir.benchmarks.policies;

/**
 * How much of the prompts of a trace was found: of each request the longest run of blocks from its
 * start, because that is all that an engine can use.
 *
 * @param found blocks
 * @param asked blocks
 */
record HitRate(long found, long asked) {

  static HitRate of(Trace trace, Policy policy) {
    long found = 0;
    for (int[] chain : trace.requests()) {
      int prefix = 0;
      while (prefix < chain.length && policy.has(chain[prefix])) {
        prefix++;
      }
      found += prefix;
      policy.request(chain);
    }
    return new HitRate(found, trace.accesses());
  }

  double percent() {
    return 100.0 * found / asked;
  }
}

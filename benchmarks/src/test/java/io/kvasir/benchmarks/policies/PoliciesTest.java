package io.kvasir.benchmarks.policies;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What each policy holds after a handful of uses, worked out on paper. */
class PoliciesTest {
  private static final int BLOCKS = 40;

  /** Uses blocks, a letter each, and says which are in the cache then. */
  private static String after(Policy policy, String uses) {
    uses.chars().forEach(policy::use);
    return IntStream.rangeClosed('a', 'z')
        .filter(policy::has)
        .mapToObj(c -> "" + (char) c)
        .collect(Collectors.joining());
  }

  @Test
  void lruLosesWhatWasNotUsedForLongest() {
    assertEquals("bcd", after(new Lru(3), "abcd"));
    assertEquals("acd", after(new Lru(3), "abcad"));
  }

  @Test
  void tailFirstLosesTheEndOfAChainFirst() {
    Policy headFirst = new Lru(3);
    headFirst.request(new int[] {'a', 'b', 'c'});
    headFirst.request(new int[] {'x'});
    assertEquals("bcx", after(headFirst, ""));
    Policy tailFirst = Policy.tailFirst(new Lru(3));
    tailFirst.request(new int[] {'a', 'b', 'c'});
    tailFirst.request(new int[] {'x'});
    assertEquals("abx", after(tailFirst, ""));
  }

  @Test
  void sieveSparesWhatWasUsedAndGoesOnFromThere() {
    // the hand spares a, takes b; then stands at c, takes it; a was spared once and is next to last
    assertEquals("acd", after(new Sieve(3), "abcad"));
    assertEquals("ade", after(new Sieve(3), "abcade"));
    // unlike LRU: what was used lately but only once does not survive what was used twice
    assertEquals("aef", after(new Sieve(3), "abcadef"));
  }

  @Test
  void s3FifoTakesFromTheSmallQueueWhatWasNotUsedAgain() {
    // of 4 the small queue has 1: b, c, d go through it while a, used twice again, stays in the
    // main
    assertEquals("acde", after(new S3Fifo(4, 0.25, 2), "aaabcde"));
    // once is not enough to stay with two uses asked for, and enough with one
    assertEquals("bcde", after(new S3Fifo(4, 0.25, 2), "aabcde"));
    assertEquals("acde", after(new S3Fifo(4, 0.25, 1), "aabcde"));
  }

  @Test
  void s3FifoRemembersWhatItLostAndKeepsItWhenItComesBack() {
    // a is lost to e, comes back from the ghosts into the main queue, and outlives f, g, h, i
    assertEquals("aghi", after(new S3Fifo(4, 0.25, 2), "abcdeafghi"));
  }

  @Test
  void arcKeepsWhatWasUsedTwiceThroughAScan() {
    assertEquals("ade", after(new Arc(3), "aabcde"));
    assertEquals("cde", after(new Lru(3), "aabcde"));
  }

  @Test
  void arcGivesMoreRoomToWhatWasUsedOnceWhenItsGhostsComeBack() {
    // of 2, a was used twice and b fell out as a ghost; its return takes the room from a, not from
    // c
    assertEquals("bc", after(new Arc(2), "aabcb"));
  }

  @Test
  void wTinyLfuKeepsWhatIsUsedMoreOften() {
    // window of one; main of two holds a and b, used twice: c and d leave the window in vain
    assertEquals("abd", after(new WTinyLfu(3), "aabbcd"));
    // as often is not more often
    assertEquals("abd", after(new WTinyLfu(3), "abcd"));
    // c, used three times, takes the place of a
    assertEquals("bcd", after(new WTinyLfu(3), "aabbcccd"));
  }

  @Test
  void idealKeepsWhatIsUsedAgainAndGivesUpTheFarthest() {
    List<int[]> requests =
        List.of(
            new int[] {1},
            new int[] {2},
            new int[] {3},
            new int[] {1},
            new int[] {2},
            new int[] {9});
    Trace trace = new Trace(requests);
    // of one block: 1 is used at 0 and 3, and 2 is not kept beside it; then 2 is not used again
    assertEquals(new HitRate(1, 6), HitRate.of(trace, new Ideal(1, trace)));
    assertEquals(new HitRate(2, 6), HitRate.of(trace, new Ideal(2, trace)));
    assertEquals(new HitRate(0, 6), HitRate.of(trace, new Lru(2)));
  }

  @Test
  void onlyThePrefixOfARequestCounts() {
    Trace trace = new Trace(List.of(new int[] {1, 2, 3}, new int[] {1, 9, 3}));
    // 3 is there, and of no use without what comes before it
    assertEquals(new HitRate(1, 6), HitRate.of(trace, new Lru(10)));
    assertEquals(100.0 / 6, new HitRate(1, 6).percent());
  }

  static Stream<IntFunction<Policy>> policies() {
    return Stream.of(
        Lru::new,
        size -> Policy.tailFirst(new Lru(size)),
        Sieve::new,
        size -> new S3Fifo(size, 0.1, 2),
        size -> new S3Fifo(size, 0.5, 1),
        Arc::new,
        WTinyLfu::new,
        CaffeinePolicy::new);
  }

  @ParameterizedTest
  @MethodSource("policies")
  void nobodyHoldsMoreThanTheCapacityNorBeatsTheIdeal(IntFunction<Policy> policy) {
    for (int seed = 0; seed < 20; seed++) {
      Trace trace = random(seed);
      for (int capacity : new int[] {2, 7, 20}) {
        Policy held = policy.apply(capacity);
        for (int[] request : trace.requests()) {
          held.request(request);
          long count = IntStream.range(0, 1000).filter(held::has).count();
          assertTrue(count <= capacity, count + " of " + capacity);
        }
        HitRate rate = HitRate.of(trace, policy.apply(capacity));
        HitRate ideal = HitRate.of(trace, new Ideal(capacity, trace));
        assertTrue(rate.found() <= ideal.found(), rate + " and the ideal " + ideal);
      }
    }
  }

  /** Single blocks: for chains, Belady's choice need not be the best. */
  private static Trace random(int seed) {
    Random random = new Random(seed);
    List<int[]> requests = new ArrayList<>();
    for (int r = 0; r < 300; r++) {
      requests.add(new int[] {(int) Math.abs(random.nextGaussian() * BLOCKS / 2)});
    }
    return new Trace(requests);
  }
}

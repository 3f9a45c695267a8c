package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SlotIndexTest {
  /** How fingerprints fall. */
  enum Spread {
    /** As digests do. */
    EVEN,
    /** Into few places of few tables, with few tags. */
    CROWDED,
    /** All into one place with one tag: only the whole fingerprint tells them apart. */
    ONE_PLACE;

    Bits128 next(Random random) {
      return switch (this) {
        case EVEN -> new Bits128(random.nextInt(300) * 0x9e3779b97f4a7c15L, random.nextInt(2));
        case CROWDED -> new Bits128((long) random.nextInt(8) << 60, random.nextInt(40));
        case ONE_PLACE -> new Bits128(-1L, (long) random.nextInt(300) << 8);
      };
    }
  }

  private final SlotRecords records = new SlotRecords();
  private final SlotIndex index = new SlotIndex(records);
  private final Map<Bits128, Integer> expected = new HashMap<>();
  private final List<Integer> free = new ArrayList<>();

  @ParameterizedTest
  @EnumSource
  void theIndexAgreesWithAHashMap(Spread spread) {
    Random random = new Random(1);
    for (int step = 0; step < 50_000; step++) {
      Bits128 print = spread.next(random);
      Integer slot = expected.get(print);
      if (slot != null && random.nextInt(3) == 0) {
        index.remove(slot);
        expected.remove(print);
        free.add(slot);
      } else if (expected.size() < 250) {
        put(print, slot, random);
      }
      assertAgrees(spread.next(random));
    }
    assertAllAgree(spread, random);
  }

  /** As at an opening: of two slots with one fingerprint the later one counts. */
  @ParameterizedTest
  @EnumSource
  void manyAtOnceAreTheSameAsOneByOne(Spread spread) {
    Random random = new Random(2);
    int count = 250;
    records.grow(2 * count);
    for (int slot = 0; slot < count / 2; slot++) { // some are there already
      fill(slot, spread.next(random));
      index.put(slot);
    }
    int[] slots = new int[count];
    for (int i = 0; i < count; i++) {
      slots[i] = count / 2 + i;
      fill(slots[i], spread.next(random));
    }
    index.putAll(slots, count);
    expected.forEach((print, slot) -> assertEquals(slot, index.get(print.first(), print.second())));
    List<Integer> mapped = new ArrayList<>(expected.values());
    Collections.shuffle(mapped, random);
    mapped.forEach(index::remove); // nothing is counted twice, nothing is left behind
    expected
        .keySet()
        .forEach(print -> assertEquals(SlotIndex.NONE, index.get(print.first(), print.second())));
  }

  private void fill(int slot, Bits128 print) {
    records.fill(slot, print.first(), print.second(), 1, 0, 0, 0);
    expected.put(print, slot);
  }

  /** A new block, or another slot for one that is there: the old slot is then nobody's. */
  private void put(Bits128 print, Integer before, Random random) {
    if (free.isEmpty()) {
      int slots = records.slots();
      records.grow(slots + 8);
      for (int slot = slots; slot < slots + 8; slot++) {
        free.add(slot);
      }
    }
    Collections.swap(free, random.nextInt(free.size()), free.size() - 1);
    int taken = free.removeLast();
    records.set(taken, SlotRecords.FIRST, print.first());
    records.set(taken, SlotRecords.SECOND, print.second());
    index.put(taken);
    expected.put(print, taken);
    if (before != null) {
      index.remove(before); // it is not mapped to that slot any more: nothing happens
      free.add(before);
    }
  }

  private void assertAgrees(Bits128 print) {
    int slot = expected.getOrDefault(print, SlotIndex.NONE);
    assertEquals(slot, index.get(print.first(), print.second()));
  }

  /** A guess is what one at a time finds, or another slot for what is there or absent. */
  private void assertAllAgree(Spread spread, Random random) {
    long[] prints = new long[2 * 500];
    for (int i = 0; i < 500; i++) {
      Bits128 print = spread.next(random);
      prints[2 * i] = print.first();
      prints[2 * i + 1] = print.second();
    }
    int[] slots = new int[500];
    index.guess(prints, 0, 200, slots);
    index.guess(prints, 200, 500, slots);
    for (int i = 0; i < 500; i++) {
      int sure = index.get(prints[2 * i], prints[2 * i + 1]);
      boolean other =
          slots[i] != SlotIndex.NONE && !records.isOf(slots[i], prints[2 * i], prints[2 * i + 1]);
      assertTrue(slots[i] == sure || other, slots[i] + " for " + sure);
    }
  }
}

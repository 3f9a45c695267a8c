package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SlotTableTest {
  /** Fingerprints that crowd into few places. */
  private static Bits128 crowded(Random random) {
    return new Bits128((long) random.nextInt(8) << 60, random.nextInt(40));
  }

  @Test
  void theIndexAgreesWithAHashMap() {
    Random random = new Random(1);
    SlotIndex index = new SlotIndex();
    Map<Bits128, Integer> expected = new HashMap<>();
    List<Integer> free = new ArrayList<>();
    int slots = 0;
    for (int step = 0; step < 50_000; step++) {
      Bits128 print = crowded(random);
      Integer slot = expected.get(print);
      if (slot != null && random.nextBoolean()) {
        index.remove(slot);
        expected.remove(print);
        free.add(slot);
      } else if (slot == null && expected.size() < 200) {
        if (free.isEmpty()) {
          index.grow(slots + 8);
          for (int i = 0; i < 8; i++) {
            free.add(slots++);
          }
        }
        int taken = free.removeLast();
        index.put(taken, print.first(), print.second());
        expected.put(print, taken);
      }
      Bits128 other = crowded(random);
      assertEquals(
          expected.getOrDefault(other, SlotIndex.NONE), index.get(other.first(), other.second()));
    }
  }

  @Test
  void victimsComeByClockAndTheDeepestFirst() {
    Random random = new Random(2);
    SlotTable table = new SlotTable();
    table.grow(100);
    table.freeAllTaken(0);
    Map<Integer, long[]> order = new HashMap<>();
    for (int i = 0; i < 100; i++) {
      int slot = table.take();
      int clock = 1 + random.nextInt(10);
      table.publish(
          slot, new SlotTable.Entry(new Bits128(random.nextLong(), i), i, 0, 1, clock, i, 0));
      order.put(slot, new long[] {clock, i});
    }
    for (int i = 0; i < 300; i++) {
      int slot = random.nextInt(100);
      int clock = 11 + i;
      table.touch(slot, clock);
      order.get(slot)[0] = clock;
    }
    List<Integer> expected = new ArrayList<>(order.keySet());
    expected.sort(
        Comparator.<Integer>comparingLong(slot -> order.get(slot)[0])
            .thenComparingLong(slot -> -order.get(slot)[1]));
    for (int slot : expected) {
      int victim = table.victim(1000, Rules.KEPT);
      assertEquals(slot, victim);
      table.end(victim);
    }
    assertEquals(SlotTable.NONE, table.victim(1000, Rules.KEPT));
  }

  @Test
  void aLeasedSlotIsNoVictimUntilItIsReleased() {
    SlotTable table = new SlotTable();
    table.grow(2);
    table.freeAllTaken(0);
    int slot = table.take();
    table.publish(slot, new SlotTable.Entry(new Bits128(1, 1), 5, 0, 1, 1, 0, 0));
    table.lease(slot);
    table.lease(slot);
    table.release(slot, 4); // of an earlier put: not this one
    table.release(slot, 5);
    assertEquals(SlotTable.NONE, table.victim(2, Rules.KEPT));
    assertEquals(1, table.leasedCount());
    table.release(slot, 5);
    assertEquals(0, table.leasedCount());
    assertTrue(table.victim(3, Rules.KEPT) == slot);
  }
}

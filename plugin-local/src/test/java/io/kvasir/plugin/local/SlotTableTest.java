package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlotTableTest {
  private final SlotTable table = new SlotTable();

  private static Bits128 print(int i) {
    return new Bits128((i + 1) * 0x9e3779b97f4a7c15L, i);
  }

  private static SlotTable.Entry entry(int i, long seq, int namespace) {
    return new SlotTable.Entry(print(i), seq, ~i, 100 + i, 7, i, namespace);
  }

  private void slots(int count) {
    table.grow(count);
    table.freeAllTaken(0);
  }

  @Test
  void anEntryComesBackAsItWasPublished() {
    slots(3);
    var extreme =
        new SlotTable.Entry(
            new Bits128(-1, Long.MIN_VALUE), Long.MAX_VALUE, -1, 1 << 30, -2, -3, 0xFFFD);
    table.publish(2, extreme);
    assertEquals(extreme, table.entry(2));
    table.touch(2, -5);
    table.lease(2);
    assertEquals(
        new SlotTable.Entry(extreme.print(), Long.MAX_VALUE, -1, 1 << 30, -5, -3, 0xFFFD),
        table.entry(2));
  }

  @Test
  void theLowestFreeSlotIsTakenFirstAndTheLastFreedNext() {
    slots(20_000);
    for (int slot = 0; slot < 10_000; slot++) {
      assertEquals(slot, table.take());
    }
    table.free(17);
    table.free(9_000);
    assertEquals(9_000, table.take());
    assertEquals(17, table.take());
    assertEquals(10_000, table.take());
    assertEquals(9_999, table.freeCount());
  }

  /**
   * What lies in the order of victims: by (clock, −depth), whatever was touched, ended or leased.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void victimsComeByClockAndTheDeepestFirst(boolean fromCheckpoint) {
    Random random = new Random(2);
    int count = 300;
    slots(count);
    Map<Integer, long[]> order = new HashMap<>();
    long[] words = new long[4 * count];
    for (int i = 0; i < count; i++) {
      int slot = table.take();
      int clock = 1 + random.nextInt(10);
      var entry = new SlotTable.Entry(new Bits128(random.nextLong(), i), i, 0, 1, clock, i, 0);
      words[4 * slot] = entry.print().first();
      words[4 * slot + 1] = entry.print().second();
      words[4 * slot + 2] = 1L << 32;
      words[4 * slot + 3] = SlotRecords.pair(clock, i) | (1L << 48);
      if (!fromCheckpoint) {
        table.publish(slot, entry);
      }
      order.put(slot, new long[] {clock, i});
    }
    if (fromCheckpoint) {
      assertEquals(10, table.load(0, words, count));
      table.loaded();
    }
    for (int i = 0; i < 300; i++) {
      int slot = random.nextInt(count);
      int clock = 11 + i;
      if (order.containsKey(slot)) {
        table.touch(slot, clock);
        order.get(slot)[0] = clock;
      }
      if (i % 10 == 0 && order.remove(slot) != null) {
        table.end(slot);
        table.free(slot);
      }
    }
    while (!order.isEmpty()) {
      int victim = table.victim(1000, Rules.KEPT);
      int expected =
          order.keySet().stream()
              .min(
                  Comparator.<Integer>comparingLong(slot -> order.get(slot)[0])
                      .thenComparingLong(slot -> -order.get(slot)[1]))
              .orElseThrow();
      assertEquals(expected, victim);
      order.remove(victim);
      table.end(victim);
      table.free(victim);
    }
    assertEquals(SlotTable.NONE, table.victim(1000, Rules.KEPT));
    assertEquals(new SlotTable.Census(count, count, 0, 0, 0, 0), table.census());
  }

  @Test
  void aLeasedSlotIsNoVictimUntilItIsReleased() {
    slots(2);
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
    table.release(slot, 5);
    assertEquals(0, table.leasedCount());
    assertTrue(table.victim(3, Rules.KEPT) == slot);
  }

  /**
   * Longer than what is looked up at a time, with blocks missing in between, and with fingerprints
   * of which only all bits tell one from the other.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLookupFindsTouchesAndLeasesWhatIsThereBehindGapsToo(boolean alike) {
    slots(2000);
    long[] prints = new long[4000];
    for (int i = 0; i < 2000; i++) {
      Bits128 print = alike ? new Bits128(-1, (long) i << 8) : print(i);
      prints[2 * i] = print.first();
      prints[2 * i + 1] = print.second();
      if (i % 3 != 0) {
        table.publish(
            table.take(), new SlotTable.Entry(print, 50 + i, 0, 100, 7, i, i % 5 == 0 ? 1 : 0));
      }
    }
    table.endNamespace(1, 5000);
    int[] slots = new int[2000];
    long[] seqs = new long[2000];
    assertEquals(1067, table.find(prints, slots, seqs, 99, true));
    assertEquals(1067, table.leasedCount());
    assertEquals(1067, table.find(prints, slots, seqs, 99, false));
    assertEquals(1067, table.leasedCount());
    for (int i = 0; i < 2000; i++) {
      assertEquals(table.find(new Bits128(prints[2 * i], prints[2 * i + 1])), slots[i]);
      assertEquals(i % 3 == 0 || i % 5 == 0, slots[i] == SlotTable.NONE);
      if (slots[i] != SlotTable.NONE) {
        assertEquals(50 + i, seqs[i]);
        assertEquals(50 + i, table.seq(slots[i]));
        assertEquals(99, table.entry(slots[i]).clock());
        table.release(slots[i], seqs[i]);
      }
    }
    assertEquals(0, table.leasedCount());
    assertEquals(0, new SlotTable().find(prints, slots, seqs, 99, true));
    assertEquals(SlotTable.NONE, slots[1]);
  }

  @Test
  void anEndedNamespaceIsGoneAtOnceAndItsSlotsAreFreeOnceSwept() {
    slots(40);
    for (int i = 0; i < 30; i++) {
      table.publish(table.take(), entry(i, i, i % 2));
    }
    table.lease(1);
    table.lease(3);
    table.endNamespace(1, 30);
    for (int i = 0; i < 30; i++) {
      assertEquals(i % 2 == 1, table.find(print(i)) == SlotTable.NONE);
      assertEquals(i % 2 == 0, table.isLive(i));
      assertEquals(i % 2 == 0, table.holds(i, i));
    }
    assertEquals(0, table.namespaces().blocks(1));
    assertEquals(new SlotTable.Census(40, 10, 15, 15, 0, 0), table.census());
    long[] entries = new long[4 * 40];
    table.copy(0, 40, entries, 0);
    assertEquals(0, entries[4 * 19 + 3]);
    table.sweep(1, 30, 0, 10);
    assertEquals(new SlotTable.Census(40, 15, 15, 10, 0, 0), table.census());
    table.sweep(1, 30, 10, 40);
    assertEquals(new SlotTable.Census(40, 25, 15, 0, 0, 0), table.census());
    assertEquals(0, table.leasedCount());
    table.release(1, 1);
    assertEquals(0, table.leasedCount());
  }

  /** A block that is saved again while the slot of its dead twin waits to be swept. */
  @Test
  void aBlockMayComeBackBeforeItsDeadTwinIsSwept() {
    slots(4);
    int old = table.take();
    table.publish(old, entry(1, 5, 0));
    table.endNamespace(0, 6);
    int young = table.take();
    table.publish(young, entry(1, 7, 0));
    assertEquals(young, table.find(print(1)));
    table.sweep(0, 6, 0, 4);
    assertEquals(young, table.find(print(1)));
    assertFalse(table.isLive(old));
    assertEquals(new SlotTable.Census(4, 3, 1, 0, 0, 0), table.census());
    assertEquals(1, table.namespaces().blocks(0));
    // the record of a second end is not durable yet: the sweep of the first keeps its slots
    table.endNamespace(0, 8);
    table.sweep(0, 6, 0, 4);
    assertEquals(3, table.freeCount());
    assertEquals(SlotTable.NONE, table.victim(9, Rules.KEPT));
  }

  @Test
  void countsByNamespaceAgreeWithAWalkOverTheSlots() {
    Random random = new Random(3);
    slots(200);
    Set<Integer> live = new HashSet<>();
    for (int step = 0; step < 5000; step++) {
      int key = random.nextInt(300);
      int slot = table.find(print(key));
      if (slot == SlotTable.NONE && table.freeCount() > 0) {
        table.publish(table.take(), entry(key, step, key % 5));
        live.add(key);
      } else if (slot != SlotTable.NONE && random.nextBoolean()) {
        table.end(slot);
        table.free(slot);
        live.remove(key);
      } else if (random.nextInt(500) == 0) {
        table.endNamespace(key % 5, step);
        table.sweep(key % 5, step, 0, 200);
        live.removeIf(there -> there % 5 == key % 5);
      }
    }
    for (int namespace : List.of(0, 1, 2, 3, 4)) {
      int number = namespace;
      assertEquals(
          live.stream().filter(key -> key % 5 == number).count(),
          table.namespaces().blocks(number));
      assertEquals(
          live.stream().filter(key -> key % 5 == number).mapToLong(key -> 100 + key).sum(),
          table.namespaces().bytes(number));
    }
    assertEquals(live.size(), table.liveCount());
    assertEquals(live.stream().mapToLong(key -> 100 + key).sum(), table.liveBytes());
  }

  /** By steps of growth or at once: the same content, and nothing that the other has not. */
  @Test
  void growthInStepsKeepsWhatIsThere() {
    int most = 3 * Chunks.SIZE + 5;
    for (int count = 7; count < most; count += 1 + count / 5) {
      int before = table.slots();
      table.grow(count);
      table.freeAllTaken(before);
      while (table.freeCount() > 0) {
        int slot = table.take();
        table.publish(slot, entry(slot, slot, 0));
      }
    }
    for (int slot = 0; slot < table.slots(); slot++) {
      assertEquals(slot, table.find(print(slot)));
      assertEquals(entry(slot, slot, 0), table.entry(slot));
    }
    long[] words = new long[8];
    table.copy(8190, 8192, words, 0);
    assertArrayEquals(
        new long[] {print(8190).first(), 8190, SlotRecords.pair(-8191, 8290)},
        java.util.Arrays.copyOf(words, 3));
  }
}

package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Leases of a slab, and who ends them. */
class LeaseTest {
  private static final int SLOTS = 100;
  private final SlotTable table = new SlotTable();
  private final SlabState state;

  LeaseTest() {
    table.grow(SLOTS);
    table.freeAllTaken(0);
    for (int i = 0; i < 90; i++) {
      table.publish(table.take(), new SlotTable.Entry(print(i), i, 0, 1, 1, i, 0));
    }
    state =
        new SlabState(
            new Recovery.Result(
                table,
                new NamespaceNumbers(),
                new Ring(16, Rules.KEPT),
                List.of(),
                0,
                0,
                0,
                1,
                List.of()),
            Fixture.slab(),
            Fixture.SPACE,
            Rules.KEPT);
  }

  private static Bits128 print(int i) {
    return new Bits128((i + 1) * 0x9e3779b97f4a7c15L, i);
  }

  private SlotLease lease(int from, int to, long expires) {
    long[] prints = new long[2 * (to - from)];
    for (int i = from; i < to; i++) {
      prints[2 * (i - from)] = print(i).first();
      prints[2 * (i - from) + 1] = print(i).second();
    }
    return state.lease(prints, expires);
  }

  @Test
  void aLeaseHoldsWhatIsThereAndAtMostHalfOfTheSlotsAreLeased() {
    SlotLease first = lease(0, 40, 1000);
    SlotLease second = lease(80, 100, 1000); // ten are there, ten are not
    SlotLease third = lease(50, 51, 1000);
    assertTrue(first.held);
    assertTrue(second.held);
    assertFalse(third.held);
    assertEquals(List.of(40, 10, 1), List.of(first.count, second.count, third.count));
    assertEquals(50, table.leasedCount());
    state.release(first);
    state.release(first);
    assertEquals(10, table.leasedCount());
    assertTrue(lease(50, 51, 1000).held);
  }

  @Test
  void leasesExpireInTheOrderOfTheirTimesAndRenewedOnesLater() {
    SlotLease late = lease(0, 10, 300);
    SlotLease early = lease(10, 15, 100);
    SlotLease renewed = lease(15, 17, 100);
    renewed.expires = 200;
    state.expireLeases(99);
    assertEquals(17, table.leasedCount());
    state.expireLeases(100);
    assertFalse(early.held);
    assertEquals(12, table.leasedCount());
    SlotLease soon = lease(20, 21, 150);
    state.expireLeases(150);
    assertFalse(soon.held);
    assertTrue(renewed.held);
    state.expireLeases(200);
    assertEquals(10, table.leasedCount());
    assertTrue(late.held);
    state.expireLeases(300);
    assertEquals(0, table.leasedCount());
  }
}

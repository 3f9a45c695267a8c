package io.kvasir.benchmarks.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class TableTest {
  @Test
  void theFirstColumnStandsLeftAndAllOthersRight() {
    Table table = new Table();
    table.row("store", "GB/s", "");
    table.row("a", "1.5", "x");
    assertEquals("store  GB/s\na       1.5  x\n", table.toString());
  }

  @Test
  void rowsOfAnotherWidthAreRefused() {
    Table table = new Table();
    table.row("store", "GB/s");
    assertThrows(IllegalArgumentException.class, () -> table.row("a"));
  }
}

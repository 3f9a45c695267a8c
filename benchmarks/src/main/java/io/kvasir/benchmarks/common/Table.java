package io.kvasir.benchmarks.common;

import java.util.ArrayList;
import java.util.List;

/** Rows of text under each other: the first column to the left, all others to the right. */
public final class Table {
  private final List<String[]> rows = new ArrayList<>();

  /** Adds a row; all have as many cells. */
  public void row(String... cells) {
    if (!rows.isEmpty() && rows.getFirst().length != cells.length) {
      throw new IllegalArgumentException(
          "%d cells in a table of %d columns".formatted(cells.length, rows.getFirst().length));
    }
    rows.add(cells);
  }

  @Override
  public String toString() {
    int[] widths = new int[rows.isEmpty() ? 0 : rows.getFirst().length];
    for (String[] row : rows) {
      for (int i = 0; i < row.length; i++) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
    }
    StringBuilder out = new StringBuilder();
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.length; i++) {
        String gap = " ".repeat(widths[i] - row[i].length());
        line.append(i == 0 ? row[i] + gap : "  " + gap + row[i]);
      }
      out.append(line.toString().stripTrailing()).append('\n');
    }
    return out.toString();
  }
}

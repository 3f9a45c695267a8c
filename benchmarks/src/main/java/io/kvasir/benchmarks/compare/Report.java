package io.kvasir.benchmarks.compare;

import io.kvasir.benchmarks.common.Table;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/**
 * All that a comparison found.
 *
 * @param machine where
 * @param pageCache its state while the stores were measured, in words
 * @param yardstick the raw rounds, checked
 * @param stores what was measured of each
 * @param missing stores that were not measured, and why
 * @param goals in order
 * @param seconds that all of it took
 */
record Report(
    Machine machine,
    String pageCache,
    Yardstick yardstick,
    List<PeerResult> stores,
    List<String> missing,
    List<Goal> goals,
    double seconds) {
  private static final JsonMapper JSON = new JsonMapper();

  String json() {
    return JSON.writeValueAsString(this);
  }

  String text() {
    StringBuilder out = new StringBuilder();
    out.append(machine).append('\n').append(pageCache).append("\n\n");
    yardstick(out);
    out.append('\n').append(storeTable()).append('\n');
    for (PeerResult store : stores) {
      if (store.recovery() != null) {
        PeerResult.Recovery r = store.recovery();
        line(
            out,
            "%-13s after a halt: open in %.0f ms (fresh JVM); of %d acknowledged blocks %d lost, %d wrong"
                .formatted(
                    store.peer().id(), r.openMillis(), r.acknowledged(), r.lost(), r.wrong()));
      }
    }
    missing.forEach(why -> line(out, "not measured: %s".formatted(why)));
    out.append('\n');
    Table table = new Table();
    for (Goal goal : goals) {
      table.row(
          goal.id() + "  " + goal.what(),
          goal.value() == null ? "" : "%.3f".formatted(goal.value()),
          goal.wanted(),
          goal.verdict());
    }
    out.append(table);
    line(out, "%nall of it took %.0f s".formatted(seconds));
    return out.toString();
  }

  private void yardstick(StringBuilder out) {
    for (Yardstick.Speed speed : yardstick.ways()) {
      line(
          out,
          "raw by %-11s write %5.2f GB/s, read %5.2f GB/s%s"
              .formatted(
                  speed.way() == null
                      ? "fio"
                      : speed.way() == RawDisk.Way.URING ? "io_uring" : "FileChannel",
                  speed.write(),
                  speed.read(),
                  speed.way() == yardstick.way() ? "   the yardstick" : ""));
    }
    if (yardstick.missing() == null) {
      line(
          out,
          "the yardstick by fio, round by round: write %.3f, read %.3f; within 5 %%: %s"
              .formatted(yardstick.write(), yardstick.read(), yardstick.inWords()));
    } else {
      line(out, "the yardstick is not checked: %s".formatted(yardstick.missing()));
    }
  }

  private String storeTable() {
    Table table = new Table();
    table.row(
        "",
        "put acked",
        "",
        "put durable",
        "",
        "get cold",
        "",
        "get warm",
        "",
        "CPU s/GB",
        "",
        "prefix of");
    table.row(
        "store",
        "GB/s",
        "x raw",
        "GB/s",
        "x raw",
        "GB/s",
        "x raw",
        "GB/s",
        "x raw",
        "put",
        "get",
        "2000, µs");
    for (PeerResult store : stores) {
      Figure put = store.figure(Measure.PUT_DURABLE);
      Figure get = store.figure(Measure.GET_COLD);
      table.row(
          store.peer().id(),
          speed(store, Measure.PUT_ACKNOWLEDGED),
          ratio(store, Measure.PUT_ACKNOWLEDGED),
          speed(store, Measure.PUT_DURABLE),
          ratio(store, Measure.PUT_DURABLE),
          speed(store, Measure.GET_COLD),
          ratio(store, Measure.GET_COLD),
          speed(store, Measure.GET_WARM),
          ratio(store, Measure.GET_WARM),
          cpu(put == null ? store.figure(Measure.PUT_ACKNOWLEDGED) : put),
          cpu(get == null ? store.figure(Measure.GET_WARM) : get),
          "%.0f".formatted(store.prefixMicros()));
    }
    return table.toString();
  }

  private static String speed(PeerResult store, Measure of) {
    Figure figure = store.figure(of);
    return figure == null ? "-" : "%.2f".formatted(figure.gigabytesPerSecond().value());
  }

  private static String ratio(PeerResult store, Measure of) {
    Figure figure = store.figure(of);
    return figure == null ? "-" : "%.3f".formatted(figure.ratio().value());
  }

  private static String cpu(Figure figure) {
    return "%.3f".formatted(figure.cpuSecondsPerGigabyte().value());
  }

  private static void line(StringBuilder out, String text) {
    out.append(text).append('\n');
  }
}

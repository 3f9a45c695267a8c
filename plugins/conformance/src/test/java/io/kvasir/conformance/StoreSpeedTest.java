package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.ByteSize;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.conformance.speed.CalledStore;
import io.kvasir.conformance.speed.Round;
import io.kvasir.conformance.speed.SpeedReport;
import io.kvasir.conformance.speed.StoreSpeed;
import io.kvasir.conformance.wrap.RecordingStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is measured, and that it is a report whatever the store does. */
class StoreSpeedTest {
  private static final ByteSize ROOM = new ByteSize(8 << 20);
  private static final long OF_A_ROUND = 24;
  private static final long PROMPTS = 3; // of a round
  private static final long BATCH = OF_A_ROUND / PROMPTS;
  private static final long ROUNDS = 7;
  private static final long HASH = 32; // bytes

  @TempDir Path directory;
  private final FlawedDisk disk = new FlawedDisk();
  private final List<RecordingStore> opened = new ArrayList<>();

  private Store open(boolean failing) {
    FlawedStore store =
        new FlawedStore(new FlawedStore.Config(directory, ROOM, Flaw.NONE, failing, false), disk);
    opened.add(new RecordingStore(store, 10));
    return opened.getLast();
  }

  private Store again() throws StoreException {
    opened.getLast().close();
    return open(false);
  }

  private long count(RecordingStore store, String what) {
    return store.counts().getOrDefault(what, 0L);
  }

  private static long bytes(SpeedReport.Line line) {
    return line.rounds().rounds().stream().mapToLong(Round::bytes).sum();
  }

  private static List<String> keys(SpeedReport report) {
    return report.lines().stream().map(SpeedReport.Line::key).toList();
  }

  @Test
  void eachBlockIsReadOnceColdAndOnceWarmByTheStoreThatWasOpenedAgain() {
    SpeedReport report = StoreSpeed.of(open(false), directory, ROOM, Optional.of(this::again));
    assertEquals("", report.trouble());
    assertEquals(List.of("put", "get-cold", "get-warm", "lookup"), keys(report));
    for (SpeedReport.Line line : report.lines()) {
      assertEquals(ROUNDS, line.rounds().count(), line.what());
      assertEquals(ROUNDS + 1, line.rounds().raw().size(), line.what());
      long bytes = line.rounds().rounds().getFirst().bytes();
      line.rounds().raw().forEach(raw -> assertEquals(bytes, raw.bytes(), line.what()));
      if (!line.what().equals("lookup")) {
        assertEquals(OF_A_ROUND * report.blockBytes(), bytes, line.what());
      } else {
        assertEquals(0, bytes % (OF_A_ROUND * ROUNDS * 32), "a hash of each block");
      }
    }
    assertEquals(2, opened.size());
    assertEquals(OF_A_ROUND * (ROUNDS + 1), count(opened.getFirst(), "save OK"));
    assertEquals(0, count(opened.getFirst(), "load OK"), "read while it was not cold");
    assertEquals(2 * OF_A_ROUND * ROUNDS, count(opened.getLast(), "load OK"));
    for (SpeedReport.Line moved : report.lines().subList(0, 3)) {
      assertEquals(OF_A_ROUND * report.blockBytes(), bytes(moved) / ROUNDS, moved.what());
    }
    // those of the loads, and two passes over all prompts before the first round
    long lookups = count(opened.getLast(), "lookup done") - 2 * PROMPTS * ROUNDS * 2;
    assertTrue(lookups > 0, "lookups alone");
    assertEquals(lookups * BATCH * HASH, bytes(report.lines().getLast()));
    assertEquals(0, disk.entries.values().stream().mapToInt(e -> e.leases).sum());
  }

  @Test
  void aStoreThatKeepsNothingIsReadOnceAsItIs() {
    SpeedReport report = StoreSpeed.of(open(false), directory, ROOM, Optional.empty());
    assertEquals(List.of("put", "get", "lookup"), keys(report));
    assertEquals(OF_A_ROUND * ROUNDS, count(opened.getFirst(), "load OK"));
    for (String line : report.sentences().subList(1, 3)) {
      assertTrue(line.matches("(put|get): \\S+ \\(\\S+ to \\S+\\) of memcpy, .* GB/s"), line);
    }
  }

  @Test
  void whatIsNotThereWasNeitherGotNorFound() throws Exception {
    try (Store store = open(false);
        TestFrames frames = new TestFrames(store.frames());
        CalledStore called = new CalledStore(store, frames.frames(6, 4096))) {
      List<BlockKeys> absent = called.prompts(3);
      assertThrows(IOException.class, () -> called.get(absent));
      assertThrows(IOException.class, () -> called.find(absent));
      List<BlockKeys> there = called.prompts(3);
      called.put(there);
      called.get(there);
      called.find(there);
    }
  }

  @Test
  void whatCannotBeMeasuredIsSaidAndFailsNothing() {
    SpeedReport failed = StoreSpeed.of(open(true), directory, ROOM, Optional.empty());
    assertEquals(List.of(), failed.lines());
    assertTrue(failed.sentences().getFirst().contains("ended IO"), failed.trouble());
    SpeedReport small =
        StoreSpeed.of(open(false), directory, new ByteSize(1 << 20), Optional.empty());
    assertEquals(
        List.of("the speed could not be measured: a store of 1 MiB is too small to be measured"),
        small.sentences());
  }
}

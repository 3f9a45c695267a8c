package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.plugin.local.LogPage.Kind;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LogScanTest {
  private static final long STORE = 77;
  private static final int PAGES = 5003; // read in several parts, each in several pieces

  @Test
  void everyPageIsFoundWhereItLies() throws IOException {
    CrashDisk disk = new CrashDisk(new Random(1), Set.of());
    SlabFile slab = SlabFile.create(disk, Header.first(STORE, 4096, PAGES));
    Map<Long, Integer> written = new TreeMap<>();
    MemorySegment page = Layout.pages(1);
    for (int at = 0; at < PAGES; at += at % 2 == 0 ? 101 : 1) { // neighbours, and holes
      long seq = 1L + at;
      new LogPage(Kind.MARK, 1, seq, 0, 0, List.of(), List.of()).write(page, STORE);
      slab.writePage(at, page);
      written.put(seq, at);
    }
    Map<Long, Integer> found = new TreeMap<>();
    try (ReadBuffers buffers = new ReadBuffers(IoMemory.PLAIN, 0);
        StoreThreads threads = StoreThreads.start(IoMemory.PLAIN)) {
      LogScan.begin(slab, 0, threads.blocks(), buffers)
          .end(new Ring(PAGES, Rules.KEPT), Rules.KEPT)
          .all()
          .forEach(read -> found.put(read.page().seq(), read.position()));
    }
    assertEquals(written, found);
  }
}

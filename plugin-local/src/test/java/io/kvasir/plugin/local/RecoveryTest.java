package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.plugin.local.LogPage.Kind;
import io.kvasir.plugin.local.LogPage.Tombstone;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Logs written by hand. */
class RecoveryTest {
  private static final long STORE = 77;
  private static final Key KEY = new Key(new Bits128(1, 2), 0, 0, 3, 4, 5, 6);
  private final CrashDisk disk = new CrashDisk(new Random(1), Set.of());
  private SlabFile slab;

  @BeforeEach
  void fourSlots() throws IOException {
    slab = SlabFile.create(disk, Header.first(STORE, 4096, 8));
    slab.grown(slab.prepareGrowth(4));
  }

  private void page(
      int at, Kind kind, long seq, long flushed, List<PutRecord> puts, Tombstone... ends)
      throws IOException {
    MemorySegment page = Layout.pages(1);
    long life = 1 + seq / Recovery.SEQ_GAP;
    new LogPage(kind, life, seq, flushed, 0, puts, List.of(ends)).write(page, STORE);
    slab.writePage(at, page);
  }

  private PutRecord put(int slot, long seq, boolean written) throws IOException {
    MemorySegment frame = Layout.pages(1);
    frame.asSlice(0, 100).fill((byte) seq);
    int crc = Layout.crc(frame.asSlice(0, 100));
    PutRecord put = new PutRecord(slot, KEY, 100, crc, 0, 1, Bits128.ZERO);
    if (written) {
      new Trailer(STORE, slot, seq, put).write(frame);
      slab.writeSlot(slot, frame);
    }
    return put;
  }

  private Recovery.Result recover(Rules rules) throws IOException {
    return new Recovery(slab, disk, SlabHistory::print, Fixture.THREADS, rules).run();
  }

  private int slotOfKey(Rules rules) throws IOException {
    return recover(rules).table().find(SlabHistory.print(KEY));
  }

  /**
   * Evicted and saved again at once; the eviction's page is lost, the new block torn, its record
   * rejected.
   */
  @Test
  void aRejectedPutNeverDisplacesTheOlderBlockOfItsKey() throws IOException {
    page(0, Kind.BATCH, 1, 0, List.of(put(0, 1, true)));
    page(1, Kind.BATCH, 6, 1, List.of(put(1, 6, false)));
    long next = 6 + Recovery.SEQ_GAP;
    page(2, Kind.REJECTION, next, 1, List.of(), new Tombstone(1, 6, 0));
    page(3, Kind.MARK, next + 1, next, List.of());
    assertEquals(0, slotOfKey(Rules.KEPT));
    assertEquals(
        SlotTable.NONE, slotOfKey(Mutation.I7_REJECTED_PUT_DISPLACES_ITS_OLDER_BLOCK.rules));
  }

  @Test
  void aRecordAboveFlushedThroughNeedsItsSlot() throws IOException {
    page(0, Kind.BATCH, 1, 0, List.of(put(0, 1, false)));
    Recovery.Result result = recover(Rules.KEPT);
    assertEquals(SlotTable.NONE, result.table().find(SlabHistory.print(KEY)));
    assertEquals(List.of(new Tombstone(0, 1, SlabHistory.print(KEY).first())), result.rejected());
    assertEquals(4, result.table().freeCount());
  }

  @Test
  void anOpenThatFailsLeavesNoReadUnderWay() throws Exception {
    page(0, Kind.BATCH, 1, 0, List.of(put(0, 1, true)));
    page(1, Kind.BATCH, 2, 0, List.of(put(1, 2, true)));
    FaultyDirectory faulty = new FaultyDirectory(disk);
    CountDownLatch begun = new CountDownLatch(1);
    AtomicBoolean ended = new AtomicBoolean();
    long second = slab.header().slotPosition(1);
    try (StoreThreads threads = StoreThreads.start(IoMemory.PLAIN);
        SlabFile file = SlabFile.open(faulty, STORE, 4096)) {
      faulty.beforeReads(
          offset -> {
            if (offset == second) {
              begun.countDown();
              linger();
              ended.set(true);
            } else if (offset == slab.header().slotPosition(0)) {
              await(begun);
              throw new IOException("Input/output error");
            }
          });
      var recovery = new Recovery(file, faulty, SlabHistory::print, threads, Rules.KEPT);
      IOException thrown = assertThrows(IOException.class, recovery::run);
      assertEquals("Input/output error", thrown.getMessage());
      assertTrue(ended.get());
    }
  }

  /** A system that gives no more threads, or a store that is being closed. */
  @Test
  void anOpenThatCannotBeginAllItsReadsWaitsForThoseThatItBegan() throws Exception {
    FaultyDirectory slow = new FaultyDirectory(disk);
    CountDownLatch begun = new CountDownLatch(1);
    AtomicBoolean ended = new AtomicBoolean();
    AtomicInteger tasks = new AtomicInteger();
    try (StoreThreads threads = StoreThreads.start(IoMemory.PLAIN);
        SlabFile file = SlabFile.open(slow, STORE, 4096)) {
      Executor once =
          task -> {
            if (tasks.getAndIncrement() > 0) {
              await(begun);
              throw new OutOfMemoryError("unable to create native thread");
            }
            threads.blocks().execute(task);
          };
      slow.beforeReads(
          offset -> {
            begun.countDown();
            linger();
            ended.set(true);
          });
      StoreThreads few = new StoreThreads(once, once, IoMemory.PLAIN);
      var recovery = new Recovery(file, slow, SlabHistory::print, few, Rules.KEPT);
      OutOfMemoryError thrown = assertThrows(OutOfMemoryError.class, recovery::run);
      assertEquals("unable to create native thread", thrown.getMessage());
      assertTrue(ended.get());
    }
  }

  /** No store writes a put twice; a page that has one leaves no read behind that nobody awaits. */
  @Test
  void aPutThatStandsTwiceIsReadOnce() throws Exception {
    PutRecord twice = put(0, 1, true);
    page(0, Kind.BATCH, 1, 0, List.of(twice, twice));
    FaultyDirectory counting = new FaultyDirectory(disk);
    AtomicInteger reads = new AtomicInteger();
    counting.beforeReads(
        offset -> reads.addAndGet(offset == slab.header().slotPosition(0) ? 1 : 0));
    try (SlabFile file = SlabFile.open(counting, STORE, 4096)) {
      var recovery = new Recovery(file, counting, SlabHistory::print, Fixture.THREADS, Rules.KEPT);
      assertEquals(0, recovery.run().table().find(SlabHistory.print(KEY)));
    }
    assertEquals(1, reads.get());
  }

  /** A slot holds the bytes of one key: what is found out of one is not believed of the other. */
  @Test
  void putsOfOneSlotAndBatchAreToldApart() throws IOException {
    Key other = new Key(KEY.namespace(), 0, 0, 9, 9, 9, 9);
    PutRecord held = put(0, 1, true);
    PutRecord stray = new PutRecord(0, other, held.length(), held.crc(), 0, 1, held.parent());
    for (List<PutRecord> both : List.of(List.of(held, stray), List.of(stray, held))) {
      page(0, Kind.BATCH, 1, 0, both);
      assertEquals(SlotTable.NONE, recover(Rules.KEPT).table().find(SlabHistory.print(other)));
    }
    assertEquals(0, slotOfKey(Rules.KEPT));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** So long that whoever does not wait for it has gone on. */
  private static void linger() {
    try {
      Thread.sleep(300);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aTombstoneEndsTheNamedPutOnly() throws IOException {
    page(0, Kind.BATCH, 1, 0, List.of(put(0, 1, true)));
    page(1, Kind.BATCH, 2, 1, List.of(), new Tombstone(0, 1, 0));
    page(2, Kind.BATCH, 3, 2, List.of(put(0, 3, true)));
    page(3, Kind.BATCH, 4, 3, List.of(), new Tombstone(0, 1, 0));
    assertEquals(0, slotOfKey(Rules.KEPT));
  }

  /** Page 2 was durable, says page 3, and is not there: it may have removed the block of page 1. */
  @Test
  void whatALostPageMayHaveEndedIsGivenUp() throws IOException {
    long first = Recovery.SEQ_GAP;
    page(0, Kind.MARK, first, 0, List.of());
    page(1, Kind.BATCH, first + 1, first, List.of(put(0, first + 1, true)));
    page(3, Kind.BATCH, first + 3, first + 2, List.of());
    Recovery.Result result = recover(Rules.KEPT);
    assertEquals(SlotTable.NONE, result.table().find(SlabHistory.print(KEY)));
    assertEquals(4, result.table().freeCount());
    assertEquals(
        List.of(
            new Recovery.Damage(
                true,
                "pages of the log of slab-4096.kv are damaged; 1 blocks were given up, because the"
                    + " pages may have ended them")),
        result.damages());
  }

  /** The first page of a life, which may reject what the life before left behind. */
  @Test
  void theFirstPageOfALifeIsMissedToo() throws IOException {
    long first = Recovery.SEQ_GAP;
    page(0, Kind.MARK, first, 0, List.of());
    page(1, Kind.BATCH, first + 1, first, List.of(put(0, first + 1, true)));
    long next = first + 1 + Recovery.SEQ_GAP;
    page(3, Kind.BATCH, next + 1, next, List.of());
    assertEquals(1, recover(Rules.KEPT).damages().size());
    page(2, Kind.MARK, next, first, List.of());
    assertEquals(List.of(), recover(Rules.KEPT).damages());
    assertEquals(0, slotOfKey(Rules.KEPT));
  }

  /** Nobody was told that page 2 is durable: a crash may have torn it. */
  @Test
  void aPageThatMayNeverHaveBeenDurableIsNotMissed() throws IOException {
    long first = Recovery.SEQ_GAP;
    page(0, Kind.MARK, first, 0, List.of());
    page(1, Kind.BATCH, first + 1, first, List.of(put(0, first + 1, true)));
    page(3, Kind.BATCH, first + 3, first + 1, List.of());
    assertEquals(List.of(), recover(Rules.KEPT).damages());
    assertEquals(0, slotOfKey(Rules.KEPT));
  }

  /** The header knows of 4 slots, the log of 6, and the file is long enough, or it is not. */
  @Test
  void slotsThatTheLogSpeaksOfAreThereAgain() throws IOException {
    Header four = slab.header();
    slab.grown(slab.prepareGrowth(6));
    page(0, Kind.BATCH, 1, 1, List.of(put(5, 1, true)));
    slab.grown(four);
    Recovery.Result result = recover(Rules.KEPT);
    assertEquals(5, result.table().find(SlabHistory.print(KEY)));
    assertEquals(6, slab.header().slots());
    assertEquals(
        List.of(
            new Recovery.Damage(
                false,
                "a header page of slab-4096.kv is damaged; its 4 slots are 6 again by its log and"
                    + " checkpoint")),
        result.damages());
    page(1, Kind.BATCH, 2, 2, List.of(put(9, 2, false)));
    result = recover(Rules.KEPT);
    assertEquals(
        List.of(
            new Recovery.Damage(true, "slab-4096.kv ends before 1 of its blocks, which are gone")),
        result.damages());
    page(2, Kind.BATCH, 3, 3, List.of(), new Tombstone(9, 2, 0));
    assertEquals(List.of(), recover(Rules.KEPT).damages());
  }

  @Test
  void aTornPageIsNoPage() throws IOException {
    MemorySegment page = Layout.pages(1);
    new LogPage(Kind.BATCH, 1, 1, 0, 0, List.of(put(0, 1, true)), List.of()).write(page, STORE);
    page.set(Layout.U32, 2000, 1);
    assertNull(LogPage.read(page, STORE));
  }

  /** Of a store that is no Kvasir's: the checksum is right, the numbers are not. */
  @Test
  void aPageThatClaimsMoreThanAPageHoldsIsNoPage() throws IOException {
    MemorySegment page = Layout.pages(1);
    for (int[] claim : new int[][] {{36, 0xFFFF}, {38, 0xFFFF}, {36, 43}, {38, 169}, {6, 0xFFFF}}) {
      new LogPage(Kind.BATCH, 1, 1, 0, 0, List.of(), List.of()).write(page, STORE);
      page.set(Layout.U16, claim[0], (short) claim[1]);
      page.set(Layout.U32, 60, 0);
      page.set(Layout.U32, 60, Layout.crc(page));
      assertNull(LogPage.read(page, STORE), claim[1] + " at " + claim[0]);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 9, Integer.MAX_VALUE})
  void aHeaderThatKnowsMoreLogThanTheFileHasIsRefused(int pages) throws IOException {
    CrashDisk other = new CrashDisk(new Random(1), Set.of());
    MemorySegment page = Layout.pages(1);
    try (SlabFile file = SlabFile.create(other, Header.first(STORE, 4096, 8))) {
      Header wrong = new Header(Layout.VERSION, STORE, 4096, pages, 0, 2);
      wrong.write(page);
      file.file().write(page, wrong.position());
    }
    FormatError refused = assertThrows(FormatError.class, () -> SlabFile.open(other, STORE, 4096));
    assertTrue(refused.getMessage().contains(pages + " log pages"), refused.getMessage());
  }

  @Test
  void aTornHeaderLeavesTheOlderOne() throws IOException {
    MemorySegment torn = Layout.pages(1);
    slab.header().grownTo(9).write(torn);
    torn.set(Layout.U32, 28, 10);
    slab.file().write(torn, slab.header().grownTo(9).position());
    assertEquals(slab.header(), SlabFile.open(disk, STORE, 4096).header());
  }
}

package io.kvasir.plugin.local;

import io.kvasir.plugin.local.LogPage.Ending;
import io.kvasir.plugin.local.LogPage.NamespaceEnd;
import io.kvasir.plugin.local.LogPage.Tombstone;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts the blocks of a slab file by namespace, from its checkpoint and its log as they lie: no
 * slot is read, nothing is flushed and nothing is ended. Beside an owner that writes, the log is
 * read before the checkpoint: what happens between the two is then missing, and nothing is
 * contradicted. A page that is half written is no page. A slot costs six bytes.
 */
final class SlabCensus {
  private final Directory directory;
  private final Header header;
  private final NamespaceNumbers namespaces = new NamespaceNumbers();
  private final char[] owner; // number of the namespace plus 1; 0 for a slot that holds nothing
  private final int[] length;
  private final Map<Integer, Long> seqs = new HashMap<>(); // of the puts of the log

  private SlabCensus(Directory directory, Header header) {
    this.directory = directory;
    this.header = header;
    this.owner = new char[header.slots()];
    this.length = new int[header.slots()];
  }

  /** Blocks and payload bytes by the first half of the namespace's id. */
  static Map<Bits128, Slab.Usage> of(Directory directory, SlabFile file) throws IOException {
    return new SlabCensus(directory, file.header()).count(file);
  }

  private Map<Bits128, Slab.Usage> count(SlabFile file) throws IOException {
    Ring ring = new Ring(header.logPages(), Rules.KEPT);
    List<LogPage> pages;
    try (ReadBuffers buffers = new ReadBuffers(IoMemory.PLAIN, 0)) {
      pages = LogScan.begin(file, 0, Runnable::run, buffers).end(ring, Rules.KEPT).uncovered();
    }
    long checkpointSeq = checkpoint();
    for (LogPage page : pages) {
      Recovery.checkCovered(page, checkpointSeq, path());
    }
    pages.stream().filter(page -> page.seq() > checkpointSeq).forEach(this::replay);
    List<Bits128> names = namespaces.all();
    long[] blocks = new long[names.size()];
    long[] bytes = new long[names.size()];
    for (int slot = 0; slot < owner.length; slot++) {
      if (owner[slot] != 0) {
        blocks[owner[slot] - 1]++;
        bytes[owner[slot] - 1] += length[slot];
      }
    }
    Map<Bits128, Slab.Usage> out = new HashMap<>();
    for (int i = 0; i < blocks.length; i++) {
      out.put(names.get(i), new Slab.Usage(blocks[i], bytes[i], 0));
    }
    return out;
  }

  private String path() {
    return directory.describe(Checkpoint.name(header.slotBytes()));
  }

  /** Takes the checkpoint in, if there is one, and returns its sequence. */
  private long checkpoint() throws IOException {
    String name = Checkpoint.name(header.slotBytes());
    if (!directory.names().contains(name)) {
      return 0;
    }
    try (BlockFile file = directory.open(name)) {
      CheckpointReader reader = new CheckpointReader(file, path(), header.storeId());
      reader.read(this::load).forEach(namespaces::of);
      return reader.head().seq();
    }
  }

  private void load(int from, long[] entries, int count) {
    int there = Math.clamp(owner.length - from, 0, count); // it may have grown since
    for (int i = 0; i < there; i++) {
      owner[from + i] = (char) (entries[Checkpoint.WORDS * i + 3] >>> 48);
      length[from + i] = (int) (entries[Checkpoint.WORDS * i + 2] >>> 32);
    }
  }

  /** What a recovery rejected is a put and a tombstone like any other here. */
  private void replay(LogPage page) {
    for (PutRecord put : page.puts()) {
      int slot = put.slot();
      if (slot >= 0 && slot < owner.length) {
        owner[slot] = 0;
        int namespace = namespaces.of(put.key().namespace());
        if (namespace >= 0) {
          owner[slot] = (char) (namespace + 1);
          length[slot] = put.length();
          seqs.put(slot, page.seq());
        }
      }
    }
    page.endings().forEach(ending -> end(page.seq(), ending));
  }

  private void end(long seq, Ending ending) {
    switch (ending) {
      case Tombstone tombstone -> {
        int slot = tombstone.slot();
        if (slot >= 0
            && slot < owner.length
            && Rules.KEPT.tombstoneEnds(tombstone.seq(), seq(slot))) {
          owner[slot] = 0;
        }
      }
      case NamespaceEnd end -> {
        int namespace = namespaces.of(end.namespace());
        for (int slot = 0; slot < owner.length; slot++) {
          if (owner[slot] == namespace + 1 && seq(slot) < seq) {
            owner[slot] = 0;
          }
        }
      }
    }
  }

  private long seq(int slot) {
    return seqs.getOrDefault(slot, SlotTable.FROM_CHECKPOINT);
  }
}

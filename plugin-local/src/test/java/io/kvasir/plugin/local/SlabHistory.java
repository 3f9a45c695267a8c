package io.kvasir.plugin.local;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.plugin.local.Weave.Violation;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * One random history of a slab on a {@link CrashDisk}: lives of some threads that save, load,
 * remove and mark, each ended by a crash at a random operation, recoveries among them. After each
 * recovery all that was published must be there, nothing that was removed, every block whole and
 * its own, and every slot accounted for.
 */
final class SlabHistory {
  private static final int KEYS = 20;
  private static final int NAMESPACES = 2;
  private static final int LIVES = 4;
  private static final int SLOT = 4096;
  private static final int LENGTH = 512;
  private static final int LOG_PAGES = 12;
  private static final int MAX_SLOTS = 16;
  private static final long STORE = 0x5eed;

  private final Random random;
  private final Rules rules;
  private final CrashDisk disk;
  private final Durability durability;
  private final KeyState[] keys = new KeyState[KEYS];
  private final MemorySegment probe = Layout.pages(1);
  private Weave weave;
  private Slab slab;
  private Set<Integer> published = Set.of();
  private boolean powerLost;
  int crashes;

  /** What is known of one key. */
  private static final class KeyState {
    int versions;
    int saving;
    int removals; // that began
    int removing; // that have not ended
    boolean gone; // a removal was acknowledged and nobody has saved it since
  }

  SlabHistory(long seed, Rules rules, Set<CrashDisk.Lie> lies, Durability durability) {
    this.random = new Random(seed);
    this.rules = rules;
    this.disk = new CrashDisk(random, lies);
    this.durability = durability;
    Arrays.setAll(keys, i -> new KeyState());
  }

  void run() {
    for (int life = 0; life < LIVES; life++) {
      while (!survives(this::openAndCheck, life == 0 ? Long.MAX_VALUE : budget(60, 0.3))) {}
      survives(this::work, budget(400, 0.9));
    }
    while (!survives(this::openAndCheck, Long.MAX_VALUE)) {}
  }

  /** How many operations until the next crash; sometimes none comes. */
  private long budget(int most, double probability) {
    return random.nextDouble() < probability ? 1 + random.nextInt(most) : Long.MAX_VALUE;
  }

  /**
   * Runs one stretch in threads; false if it crashed. After work it always crashes, if only at its
   * end.
   */
  private boolean survives(Runnable stretch, long operations) {
    disk.crashAfter(operations, this::remember);
    weave = new Weave(random);
    weave.start(stretch);
    weave.run();
    boolean working = slab != null && workingSlab;
    if (!disk.isOff() && !working) {
      return true;
    }
    disk.crash();
    crashes++;
    slab = null;
    workingSlab = false;
    if (random.nextInt(3) == 0) {
      disk.kill();
    } else {
      powerLost = true;
      disk.losePower();
    }
    return false;
  }

  private boolean workingSlab;

  /** What the index finds at the moment of the crash must be found after it. */
  private void remember() {
    if (slab != null) {
      published = present();
    }
  }

  // ---- one life

  private void openAndCheck() {
    slab = null;
    Slab opened;
    try {
      for (String name : disk.names()) {
        if (name.endsWith(Directory.TEMPORARY)) {
          disk.delete(name);
        }
      }
      boolean there = disk.names().contains(SlabFile.name(SLOT));
      SlabFile file =
          there
              ? SlabFile.open(disk, STORE, SLOT)
              : SlabFile.create(disk, Header.first(STORE, SLOT, LOG_PAGES));
      Executor threads = task -> weave.start(task);
      Slab.Options options =
          new Slab.Options(
              durability,
              4,
              new StoreThreads(threads, threads, IoMemory.PLAIN),
              new Metrics(),
              null);
      opened = Slab.open(disk, file, SlabHistory::print, options, new Room(file), rules);
      check(opened);
    } catch (FormatError e) {
      throw new Violation("LOST: " + e.getMessage(), e);
    } catch (IOException e) {
      if (!disk.isOff()) {
        throw new Violation("recovery failed: " + e, e);
      }
    }
  }

  private void check(Slab opened) throws IOException {
    SlotTable.Census census = opened.census();
    if (census.taken() != 0
        || census.ending() != 0
        || census.free() + census.live() + census.quarantined() != census.slots()) {
      throw new Violation("LEAKED: " + census, null);
    }
    checkSeqs(opened);
    List<Bits128> prints = IntStream.range(0, KEYS).mapToObj(k -> print(key(k))).toList();
    SlotLease lease = opened.lookup(flat(prints), System.nanoTime() + (1L << 60));
    for (int key = 0; key < KEYS; key++) {
      BlockStatus status = load(opened, key, probe);
      if (disk.isOff()) {
        throw new IOException("crashed while checking");
      }
      checkBlock(key, status);
    }
    opened.release(lease);
    SlotTable.Census after = opened.census();
    if (after.live() + after.quarantined() != lease.count) {
      throw new Violation("LEAKED: " + after + " for " + lease.count + " keys", null);
    }
    published = lease.count == 0 ? Set.of() : present(opened);
    slab = opened;
  }

  private void checkBlock(int key, BlockStatus status) {
    boolean mayBeLost = durability == Durability.NONE && powerLost;
    if (status == BlockStatus.OK) {
      checkBytes(key);
      if (keys[key].gone && !mayBeLost) {
        throw new Violation("BACK: removed key " + key, null);
      }
    } else if (status != BlockStatus.MISS && !mayBeLost) {
      throw new Violation("WRONG BYTES: key " + key + " is trusted and loads as " + status, null);
    } else if (published.contains(key) && !mayBeLost) {
      throw new Violation("LOST: acknowledged key " + key, null);
    }
  }

  private void checkBytes(int key) {
    int version = probe.get(Layout.U32, 0);
    boolean right = version >= 0 && version < keys[key].versions;
    if (!right || probe.asSlice(0, LENGTH).mismatch(content(key, version)) >= 0) {
      throw new Violation("WRONG BYTES: key " + key + " loads as OK with other bytes", null);
    }
  }

  /**
   * I10, on the disk itself: nothing that lies there has a sequence that this life will give out.
   */
  private void checkSeqs(Slab opened) throws IOException {
    Header header = opened.header();
    MemorySegment bytes = Layout.pages(1);
    try (SlabFile file = SlabFile.open(disk, STORE, SLOT)) {
      for (int slot = 0; slot < header.slots(); slot++) {
        file.readSlot(slot, bytes);
        Trailer trailer = Trailer.read(bytes);
        if (trailer != null && trailer.seq() > opened.lastSeq()) {
          throw new Violation("REUSED: sequence " + trailer.seq() + " of slot " + slot, null);
        }
      }
    }
  }

  private void work() {
    if (slab == null) {
      return;
    }
    workingSlab = true;
    int workers = 1 + random.nextInt(4);
    for (int i = 0; i < workers; i++) {
      int steps = 1 + random.nextInt(14);
      weave.start(() -> worker(steps));
    }
  }

  private void worker(int steps) {
    for (int i = 0; i < steps && !disk.isOff(); i++) {
      int what = random.nextInt(100);
      if (what < 72) {
        save();
      } else if (what < 84) {
        load();
      } else if (what < 92) {
        remove();
      } else if (what < 94) {
        endNamespace();
      } else {
        mark();
      }
    }
  }

  private void save() {
    int first = random.nextInt(KEYS);
    int count = 1 + random.nextInt(5);
    List<Incoming> blocks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int key = (first + i) % KEYS;
      MemorySegment frame = Layout.pages(1); // here others may run
      KeyState state = keys[key];
      state.gone = false;
      state.saving++;
      frame.asSlice(0, LENGTH).copyFrom(content(key, state.versions++));
      Key id = key(key);
      blocks.add(new Incoming(id, print(id), Bits128.ZERO, i, LENGTH, frame));
    }
    slab.save(blocks, Deadline.never());
    for (int i = 0; i < count; i++) {
      keys[(first + i) % KEYS].saving--;
      BlockStatus status = blocks.get(i).status;
      if (!disk.isOff() && status != BlockStatus.OK && status != BlockStatus.CAPACITY) {
        throw new Violation("a save ended " + status + " " + blocks.get(i).cause, null);
      }
    }
    checkIdle();
  }

  /** A load under a lease that holds finds its block, unless somebody removes it (I11). */
  private void load() {
    int first = random.nextInt(KEYS);
    int count = 1 + random.nextInt(3);
    List<Bits128> prints = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      prints.add(print(key((first + i) % KEYS)));
    }
    boolean removing = removing(first, count);
    int removals = removals(first, count);
    MemorySegment frame = Layout.pages(1);
    SlotLease lease = slab.lookup(flat(prints), System.nanoTime() + (1L << 60));
    for (int i = 0; i < count; i++) {
      int key = (first + i) % KEYS;
      BlockStatus status = load(slab, key, frame);
      if (status == BlockStatus.OK) {
        MemorySegment.copy(frame, 0, probe, 0, LENGTH);
        checkBytes(key);
      } else if (status == BlockStatus.CORRUPT) {
        throw new Violation("WRONG BYTES: key " + key + " is CORRUPT on a sound disk", null);
      } else if (lease.held && lease.slots[i] >= 0 && !disk.isOff()) {
        if (!removing && removals == removals(first, count)) {
          throw new Violation("EVICTED under a lease: key " + key, null);
        }
      }
    }
    slab.release(lease);
  }

  private static BlockStatus load(Slab slab, int key, MemorySegment frame) {
    Outgoing block = new Outgoing(key(key), print(key(key)), frame);
    slab.load(List.of(block), Deadline.never());
    return block.status;
  }

  private boolean removing(int first, int count) {
    return IntStream.range(0, count).anyMatch(i -> keys[(first + i) % KEYS].removing > 0);
  }

  private int removals(int first, int count) {
    return IntStream.range(0, count).map(i -> keys[(first + i) % KEYS].removals).sum();
  }

  private void remove() {
    int key = random.nextInt(KEYS);
    removing(Set.of(key), () -> slab.remove(List.of(print(key(key))), Deadline.never()));
  }

  private void endNamespace() {
    int namespace = random.nextInt(NAMESPACES);
    Set<Integer> all = new HashSet<>();
    for (int key = namespace; key < KEYS; key += NAMESPACES) {
      all.add(key);
    }
    removing(all, () -> slab.endNamespace(key(namespace).namespace(), Deadline.never()));
  }

  private void removing(Set<Integer> which, java.util.function.Supplier<BlockStatus> removal) {
    int[] versions = new int[KEYS];
    boolean[] saving = new boolean[KEYS];
    for (int key : which) {
      keys[key].removals++;
      keys[key].removing++;
      versions[key] = keys[key].versions;
      saving[key] = keys[key].saving > 0;
    }
    BlockStatus status = removal.get();
    which.forEach(key -> keys[key].removing--);
    if (status == BlockStatus.OK) {
      for (int key : which) {
        boolean saved = saving[key] || versions[key] != keys[key].versions;
        keys[key].gone = !saved;
      }
    } else if (!disk.isOff()) {
      throw new Violation("a removal ended " + status, null);
    }
  }

  private void mark() {
    try {
      slab.mark();
    } catch (IOException e) {
      if (!disk.isOff()) {
        throw new Violation("a mark failed: " + e, e);
      }
    }
  }

  /** Slots are neither lost nor counted twice, also while batches are under way. */
  private void checkIdle() {
    SlotTable.Census census = slab.census();
    int known =
        census.free() + census.live() + census.ending() + census.quarantined() + census.taken();
    if (known != census.slots() && !disk.isOff() && !rules.reusesBeforeFlush()) {
      throw new Violation("LEAKED: " + census, null);
    }
  }

  private Set<Integer> present() {
    return present(slab);
  }

  private static Set<Integer> present(Slab slab) {
    Set<Integer> present = new HashSet<>();
    for (int key = 0; key < KEYS; key++) {
      if (slab.contains(print(key(key)))) {
        present.add(key);
      }
    }
    return present;
  }

  // ---- keys and bytes

  private static Key key(int key) {
    int namespace = key % NAMESPACES;
    return new Key(new Bits128(7, namespace), 0, 0, key, 1, 2, 3);
  }

  /** Spread over the table, as real fingerprints are. */
  static Bits128 print(Key key) {
    long mixed = (key.hash0() + 1) * 0x9e3779b97f4a7c15L;
    return new Bits128(mixed, key.namespace().second());
  }

  private static long[] flat(List<Bits128> prints) {
    return prints.stream()
        .flatMapToLong(print -> LongStream.of(print.first(), print.second()))
        .toArray();
  }

  private static MemorySegment content(int key, int version) {
    byte[] bytes = new byte[LENGTH];
    new Random(key * 1000L + version).nextBytes(bytes);
    MemorySegment content = MemorySegment.ofArray(bytes);
    content.set(Layout.U32, 0, version);
    return content;
  }

  /** Room for the most slots of the history. */
  private record Room(SlabFile file) implements Space {
    @Override
    public boolean reserve(long bytes) {
      return file.header().slots() < MAX_SLOTS;
    }

    @Override
    public void release(long bytes) {}
  }
}

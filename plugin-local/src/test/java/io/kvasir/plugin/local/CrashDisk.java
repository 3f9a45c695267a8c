package io.kvasir.plugin.local;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * A directory in memory that can lose power. Each file keeps every write since the last flush that
 * covered it, and the directory every change of a name; {@link #losePower} keeps a random subset of
 * them, in a random order, torn at 512 bytes. {@link #kill} keeps what had ended, still unflushed.
 * Files grow by metadata of their own, which only {@code force(true)} makes durable.
 */
final class CrashDisk implements Directory {
  private static final int PAGE = Layout.PAGE;
  private static final int SECTOR = 512;

  /**
   * Ways to break a promise underneath the store: each is a mutation that its tests must notice.
   */
  enum Lie {
    NO_SLAB_FLUSH,
    PAGE_WRITTEN_LATE,
    DATA_WRITTEN_LATE,
    NO_CHECKPOINT_FLUSH,
    NO_DIRECTORY_FLUSH,
    NO_SIZE_FLUSH,
    NO_REJECTION_PAGES
  }

  private final Random random;
  private final Set<Lie> lies;
  private Map<String, Inode> names = new TreeMap<>();
  private Map<String, Inode> durableNames = new TreeMap<>();
  private final List<Rename> pendingNames = new ArrayList<>();
  private long operationsLeft = Long.MAX_VALUE;
  private boolean off;
  private Runnable onCrash = () -> {};
  long operations;

  CrashDisk(Random random, Set<Lie> lies) {
    this.random = random;
    this.lies = lies.isEmpty() ? EnumSet.noneOf(Lie.class) : EnumSet.copyOf(lies);
  }

  /** A change of names: {@code from} goes, {@code to} is that file; either may be null. */
  private record Rename(String from, String to, Inode inode) {
    void apply(Map<String, Inode> names) {
      if (from != null) {
        names.remove(from);
      }
      if (to != null) {
        names.put(to, inode);
      }
    }
  }

  private static final class Write {
    final long offset;
    final byte[] bytes;
    boolean ended;

    Write(long offset, byte[] bytes) {
      this.offset = offset;
      this.bytes = bytes;
    }
  }

  /** Pages of content; a page array is never changed once it is in here. */
  private static final class Content {
    byte[][] pages = new byte[0][];
    long size;

    Content copy() {
      Content copy = new Content();
      copy.pages = pages.clone();
      copy.size = size;
      return copy;
    }

    void put(long offset, byte[] bytes, int from, int to) {
      int last = (int) ((offset + to - 1) / PAGE);
      if (last >= pages.length) {
        pages = java.util.Arrays.copyOf(pages, last + 9);
      }
      for (int at = from; at < to; ) {
        int page = (int) ((offset + at) / PAGE);
        int in = (int) ((offset + at) % PAGE);
        int count = Math.min(PAGE - in, to - at);
        byte[] fresh = pages[page] == null ? new byte[PAGE] : pages[page].clone();
        System.arraycopy(bytes, at, fresh, in, count);
        pages[page] = fresh;
        at += count;
      }
    }

    void get(long offset, byte[] into) {
      for (int at = 0; at < into.length; ) {
        int page = (int) ((offset + at) / PAGE);
        int in = (int) ((offset + at) % PAGE);
        int count = Math.min(PAGE - in, into.length - at);
        if (page < pages.length && pages[page] != null) {
          System.arraycopy(pages[page], in, into, at, count);
        }
        at += count;
      }
    }

    void cut(long newSize) {
      size = newSize;
      int keep = (int) ((newSize + PAGE - 1) / PAGE);
      for (int page = keep; page < pages.length; page++) {
        pages[page] = null;
      }
    }
  }

  private static final class Inode {
    Content live = new Content();
    Content durable = new Content();
    List<Write> pending = new ArrayList<>();
    List<Long> sizes = new ArrayList<>();
  }

  // ---- crashing

  /**
   * Lets that many operations begin; in the next one the machine goes off, which {@code onCrash}
   * sees first.
   */
  void crashAfter(long count, Runnable seen) {
    operationsLeft = count;
    onCrash = seen;
  }

  boolean isOff() {
    return off;
  }

  /** The machine goes off now, if it has not yet. */
  void crash() {
    if (!off) {
      onCrash.run();
      off = true;
    }
  }

  private void operation() throws IOException {
    operations++;
    if (!off && --operationsLeft <= 0) {
      crash();
    }
    step();
  }

  /** Lets other threads run, and notices that the machine went off meanwhile. */
  @SuppressWarnings("ThreadPriorityCheck") // the scheduler is the test's own
  private void step() throws IOException {
    if (Thread.currentThread().isVirtual()) {
      Thread.yield();
    }
    if (off) {
      throw new IOException("the machine is off");
    }
  }

  /**
   * The processes end: what had ended stays, still not flushed; what was under way ends somehow.
   */
  void kill() {
    for (Inode inode : inodes()) {
      for (Write write : inode.pending) {
        if (!write.ended) {
          apply(write, inode.live, inode.live.size);
          Arrays.fill(write.bytes, (byte) 0);
          inode.live.get(write.offset, write.bytes); // what a reader sees is what a flush keeps
          write.ended = true;
        }
      }
    }
    reset();
  }

  /** Everything that no flush covered is lost, kept or torn. */
  void losePower() {
    Map<String, Inode> after = new TreeMap<>(durableNames);
    for (Rename change : pendingNames) {
      if (random.nextBoolean()) {
        change.apply(after);
      }
    }
    for (Inode inode : new LinkedHashSet<>(after.values())) {
      settle(inode);
    }
    names = new TreeMap<>(after);
    durableNames = after;
    pendingNames.clear();
    reset();
  }

  private void settle(Inode inode) {
    Content content = inode.durable;
    long size = content.size;
    if (!inode.sizes.isEmpty() && random.nextBoolean()) {
      size = Math.max(size, inode.sizes.get(random.nextInt(inode.sizes.size())));
    }
    List<Write> order = new ArrayList<>(inode.pending);
    Collections.shuffle(order, random);
    for (Write write : order) {
      apply(write, content, size);
    }
    content.cut(size);
    inode.live = content.copy();
    inode.pending = new ArrayList<>();
    inode.sizes = new ArrayList<>();
  }

  private void apply(Write write, Content content, long size) {
    int kept = (int) Math.min(write.bytes.length, Math.max(0, size - write.offset));
    switch (random.nextInt(3)) {
      case 0 -> {}
      case 1 -> {
        if (kept > 0) {
          content.put(write.offset, write.bytes, 0, kept);
        }
      }
      default -> {
        for (int at = 0; at < kept; at += SECTOR) {
          if (random.nextBoolean()) {
            content.put(write.offset, write.bytes, at, Math.min(kept, at + SECTOR));
          }
        }
      }
    }
  }

  private void reset() {
    off = false;
    operationsLeft = Long.MAX_VALUE;
    onCrash = () -> {};
  }

  private Set<Inode> inodes() {
    return new LinkedHashSet<>(names.values());
  }

  // ---- files

  private final class CrashFile implements BlockFile {
    private final String name;
    private final Inode inode;

    CrashFile(String name, Inode inode) {
      this.name = name;
      this.inode = inode;
    }

    @Override
    public void read(MemorySegment into, long offset) throws IOException {
      operation();
      if (offset + into.byteSize() > inode.live.size) {
        throw new EOFException(name + " ends at " + inode.live.size);
      }
      int half = (int) (into.byteSize() / 2);
      copy(into.asSlice(0, half), offset);
      step();
      copy(into.asSlice(half), offset + half);
    }

    private void copy(MemorySegment into, long offset) {
      byte[] bytes = new byte[(int) into.byteSize()];
      inode.live.get(offset, bytes);
      MemorySegment.copy(MemorySegment.ofArray(bytes), 0, into, 0, bytes.length);
    }

    @Override
    public void write(MemorySegment from, long offset) throws IOException {
      operation();
      byte[] bytes = from.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
      if (lies.contains(Lie.NO_REJECTION_PAGES) && isRejection(from)) {
        return;
      }
      Write write = new Write(offset, bytes);
      inode.pending.add(write);
      step();
      if (offset + bytes.length > inode.live.size) {
        inode.live.size = offset + bytes.length;
        inode.sizes.add(inode.live.size);
      }
      inode.live.put(offset, bytes, 0, bytes.length / 2);
      step();
      inode.live.put(offset, bytes, bytes.length / 2, bytes.length);
      write.ended = !late(offset);
    }

    private boolean isRejection(MemorySegment from) {
      return name.endsWith(".kv")
          && from.byteSize() == PAGE
          && from.get(Layout.U32, 0) == 0x3153564b
          && from.get(Layout.U16, 6) == LogPage.Kind.REJECTION.code();
    }

    private boolean late(long offset) {
      boolean data = offset >= Layout.SLOT_ALIGNMENT;
      return name.endsWith(".kv")
          && lies.contains(data ? Lie.DATA_WRITTEN_LATE : Lie.PAGE_WRITTEN_LATE);
    }

    @Override
    public void force(boolean metadata) throws IOException {
      operation();
      if ((name.endsWith(".kv") && lies.contains(Lie.NO_SLAB_FLUSH))
          || (name.contains(".checkpoint") && lies.contains(Lie.NO_CHECKPOINT_FLUSH))) {
        return;
      }
      List<Write> covered = inode.pending.stream().filter(write -> write.ended).toList();
      long size = inode.live.size;
      inode.pending.forEach(write -> write.ended |= late(write.offset));
      step();
      boolean growing = metadata && !(name.endsWith(".kv") && lies.contains(Lie.NO_SIZE_FLUSH));
      if (growing) {
        inode.durable.size = Math.max(inode.durable.size, size);
        inode.sizes.removeIf(grown -> grown <= size);
      }
      for (Write write : covered) {
        inode.durable.put(write.offset, write.bytes, 0, write.bytes.length);
      }
      inode.pending.removeAll(covered);
      step();
    }

    @Override
    public long size() {
      return inode.live.size;
    }

    @Override
    public void close() {}
  }

  // ---- the directory

  private void change(Rename change) {
    change.apply(names);
    pendingNames.add(change);
  }

  private Inode inode(String name) throws IOException {
    Inode inode = names.get(name);
    if (inode == null) {
      throw new java.nio.file.NoSuchFileException(name);
    }
    return inode;
  }

  @Override
  public BlockFile open(String name) throws IOException {
    operation();
    return new CrashFile(name, inode(name));
  }

  @Override
  public BlockFile create(String name) throws IOException {
    operation();
    Inode inode = new Inode();
    change(new Rename(null, name, inode));
    return new CrashFile(name, inode);
  }

  @Override
  public List<String> names() {
    return names.keySet().stream().sorted().toList();
  }

  @Override
  public byte[] read(String name) throws IOException {
    operation();
    Inode inode = inode(name);
    byte[] bytes = new byte[(int) inode.live.size];
    inode.live.get(0, bytes);
    return bytes;
  }

  @Override
  public void write(String name, byte[] bytes) throws IOException {
    BlockFile file = create(name);
    if (bytes.length > 0) {
      file.write(MemorySegment.ofArray(bytes), 0);
    }
    file.force(true);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    operation();
    change(new Rename(from, to, inode(from)));
  }

  @Override
  public void delete(String name) throws IOException {
    operation();
    if (names.containsKey(name)) {
      change(new Rename(name, null, null));
    }
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // equal changes are not the same change
  public void force() throws IOException {
    operation();
    if (lies.contains(Lie.NO_DIRECTORY_FLUSH)) {
      return;
    }
    List<Rename> covered = List.copyOf(pendingNames);
    step();
    covered.forEach(change -> change.apply(durableNames));
    pendingNames.removeIf(change -> covered.stream().anyMatch(done -> done == change));
    step();
  }

  @Override
  public long free() {
    return Long.MAX_VALUE;
  }

  @Override
  public String describe(String name) {
    return "crash:" + name;
  }
}

package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;
import java.io.RandomAccessFile;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** What lies wrong on the disk: the whole message, and the store as it was before. */
class BadInputTest {
  private static final NamespaceManifest MANIFEST = Fixture.manifest("acme", 1);
  private static final BlockKeys KEYS = Fixture.keys(MANIFEST, 1, 3);
  private static final String UNCHANGED = "; nothing has been changed";
  @TempDir private Path directory;

  private Store open() throws StoreException {
    return new LocalProvider().open(new Fixture.Context(Fixture.config(directory, 64 << 20)));
  }

  private void fill() throws Exception {
    try (Store store = open();
        NamespaceStore namespace = store.open(MANIFEST)) {
      Fixture.save(namespace, KEYS);
    }
  }

  private void fillWithCheckpoint() throws Exception {
    try (Store store = open();
        NamespaceStore namespace = store.open(MANIFEST)) {
      for (int prompt = 0; prompt < 40; prompt++) { // 16 pages: several checkpoints
        Fixture.save(namespace, Fixture.keys(MANIFEST, prompt, 1));
      }
      Fixture.save(namespace, KEYS);
    }
  }

  private void intact() throws Exception {
    try (Store store = open();
        NamespaceStore namespace = store.open(MANIFEST)) {
      assertEquals(3, Fixture.count(Fixture.load(namespace, KEYS), BlockStatus.OK));
    }
  }

  /** The call fails with that message and leaves every file as it was. */
  private void refused(Kind kind, String message, Executable call) throws Exception {
    Map<String, byte[]> before = Fixture.content(directory);
    StoreException e = assertThrows(StoreException.class, call);
    assertEquals(message, e.getMessage());
    assertEquals(kind, e.kind());
    Map<String, byte[]> after = Fixture.content(directory);
    assertEquals(before.keySet(), after.keySet());
    before.forEach((name, bytes) -> assertArrayEquals(bytes, after.get(name), name));
  }

  private Path manifest() {
    return directory.resolve("ns-" + MANIFEST.id().hex() + ".json");
  }

  @Test
  void aCorruptManifestIsAMismatch() throws Exception {
    fill();
    byte[] good = Files.readAllBytes(manifest());
    byte[] bad = good.clone();
    bad[40] ^= 1;
    Files.write(manifest(), bad);
    String sha =
        java.util.HexFormat.of()
            .formatHex(java.security.MessageDigest.getInstance("SHA-256").digest(bad));
    try (Store store = open()) {
      refused(
          Kind.MISMATCH,
          "manifest %s: its %d bytes have the SHA-256 %s and not that of its name, so it is corrupt or another namespace's; restore the file, or move it out of the directory and the namespace starts afresh"
                  .formatted(manifest(), bad.length, sha)
              + UNCHANGED,
          () -> store.open(MANIFEST));
    }
    Files.write(manifest(), good);
    intact();
  }

  @Test
  void aManifestMovedAwayStartsTheNamespaceAfresh() throws Exception {
    fill();
    Files.delete(manifest());
    try (Store store = open();
        NamespaceStore namespace = store.open(MANIFEST)) {
      assertArrayEquals(MANIFEST.canonical(), Files.readAllBytes(manifest()));
      assertEquals(0, Fixture.count(Fixture.load(namespace, KEYS), BlockStatus.CORRUPT));
    }
  }

  @Test
  void twoNamespacesWithEqualHalvesAreAMismatch() throws Exception {
    try (Store store = open()) {
      assertEquals(0, store.namespaces().size());
    }
    String other = MANIFEST.id().prefix() + "0".repeat(32);
    Files.writeString(directory.resolve("ns-" + other + ".json"), "{}");
    try (Store store = open()) {
      refused(
          Kind.MISMATCH,
          "namespace %s: the store holds namespace %s, whose first 16 bytes are the same, and blocks are told apart by these; configure another directory for one of them"
                  .formatted(MANIFEST.id().hex(), other)
              + UNCHANGED,
          () -> store.open(MANIFEST));
    }
  }

  @Test
  void aDirectoryThatIsNoStoreIsLeftAlone() throws Exception {
    Files.writeString(directory.resolve("thesis.txt"), "mine");
    Files.setPosixFilePermissions(
        directory, java.nio.file.attribute.PosixFilePermissions.fromString("rwxr-xr-x"));
    refused(
        Kind.MISMATCH,
        "store directory %s: it holds \"thesis.txt\" and no file \"store\", so it is no store of Kvasir; configure an empty directory, or restore the file"
                .formatted(directory)
            + UNCHANGED,
        this::open);
    assertEquals(
        "rwxr-xr-x",
        java.nio.file.attribute.PosixFilePermissions.toString(
            Files.getPosixFilePermissions(directory)));
  }

  @Test
  void aFileWhereTheDirectoryShouldBeIsNamed() throws Exception {
    Path file = Files.writeString(directory.resolve("blocks"), "mine");
    for (Path path : List.of(file, file.resolve("a/b"))) {
      Fixture.Context context = new Fixture.Context(Fixture.config(path, 64 << 20));
      String message =
          "directory: %s %s; configure a directory, or move the file away"
              .formatted(
                  path,
                  path.equals(file)
                      ? "is a file and no directory"
                      : "cannot be created, since %s is a file".formatted(file));
      refused(Kind.CONFIGURATION, message, () -> new LocalProvider().open(context));
      refused(Kind.CONFIGURATION, message, () -> new LocalProvider().inspect(context));
    }
  }

  @Test
  void aDirectoryWhereAFileOfTheStoreShouldBeIsNamed() throws Exception {
    fill();
    for (Path file :
        List.of(
            manifest(),
            directory.resolve("ns-" + MANIFEST.id().hex() + ".config.json"),
            directory.resolve("store"),
            directory.resolve("slab-8192.kv"))) {
      byte[] good = Files.readAllBytes(file);
      Files.delete(file);
      Files.createDirectory(file);
      String message =
          "%s: is a directory, and a store has a file of that name; move it out of the store's directory%s"
              .formatted(file, UNCHANGED);
      refused(Kind.MISMATCH, message, this::open);
      refused(
          Kind.MISMATCH,
          message,
          () ->
              new LocalProvider()
                  .inspect(new Fixture.Context(Fixture.config(directory, 64 << 20))));
      Files.delete(file);
      Files.write(file, good);
    }
    Path lock = directory.resolve("lock");
    Files.delete(lock);
    Files.createDirectory(lock);
    refused(
        Kind.MISMATCH,
        "%s: is a directory, and a store has a file of that name; move it out of the store's directory%s"
            .formatted(lock.toRealPath(), UNCHANGED),
        this::open);
    Files.delete(lock);
    intact();
  }

  @Test
  void whatThisUserMayNotUseIsNamed() {
    StoreException e =
        Failures.of(new AccessDeniedException("/srv/blocks/store"), "store directory /srv/blocks");
    assertEquals(
        "store directory /srv/blocks: this user may not use /srv/blocks/store; give it the right to"
            + " read and write there, or configure another directory",
        e.getMessage());
    assertEquals(Kind.IO, e.kind());
  }

  @Test
  void aDirectoryOfAnotherVersionIsLeftAlone() throws Exception {
    fill();
    Path store = directory.resolve("store");
    String good = Files.readString(store);
    Files.writeString(store, good.replace("kvasir-local 1", "kvasir-local 2"));
    refused(
        Kind.MISMATCH,
        "store file %s: format version 2, this release reads 1; open it with the release that wrote it, or configure an empty directory"
                .formatted(store)
            + UNCHANGED,
        this::open);
    Files.writeString(store, "garbage");
    refused(
        Kind.MISMATCH,
        "store file %s: \"garbage\" is not \"kvasir-local 1\" and an id; restore the file, or configure an empty directory"
                .formatted(store)
            + UNCHANGED,
        this::open);
    Files.writeString(store, good);
    intact();
  }

  @Test
  void aSlabOfAnotherVersionIsLeftAlone() throws Exception {
    fill();
    Path slab = directory.resolve("slab-8192.kv");
    byte[] good = Files.readAllBytes(slab);
    byte[] bad = good.clone();
    for (int page = 0; page < 2; page++) {
      java.lang.foreign.MemorySegment at =
          java.lang.foreign.MemorySegment.ofArray(bad).asSlice(page * 4096L, 4096);
      at.set(Layout.U16, 4, (short) 2);
      at.set(Layout.U32, 4092, Layout.crc(at.asSlice(0, 4092)));
    }
    Files.write(slab, bad);
    refused(
        Kind.MISMATCH,
        "slab file %s: format version 2, this release reads 1; open it with the release that wrote it, or configure an empty directory"
                .formatted(slab)
            + UNCHANGED,
        this::open);
    Files.write(slab, good);
    intact();
  }

  @Test
  void aSlabWithoutAHeaderIsLeftAlone() throws Exception {
    fill();
    Path slab = directory.resolve("slab-8192.kv");
    byte[] good = Files.readAllBytes(slab);
    try (RandomAccessFile file = new RandomAccessFile(slab.toFile(), "rw")) {
      file.write(new byte[8192]);
    }
    refused(
        Kind.MISMATCH,
        "slab file %s: neither of its two header pages is whole; restore the file, or move it out of the directory to go on without its blocks"
                .formatted(slab)
            + UNCHANGED,
        this::open);
    Files.write(slab, good);
    intact();
  }

  @Test
  void aSlabOfTheWrongBlockSizeIsLeftAlone() throws Exception {
    fill();
    Path slab = directory.resolve("slab-8192.kv");
    Path renamed = directory.resolve("slab-12288.kv");
    Files.move(slab, renamed);
    refused(
        Kind.MISMATCH,
        "slab file %s: its header says slots of 8192 bytes, its name says 12288; give it its own name back, or move it out of the directory"
                .formatted(renamed)
            + UNCHANGED,
        this::open);
    Files.move(renamed, slab);
    intact();
  }

  @Test
  void aSlabOfAnotherStoreIsLeftAlone(@TempDir Path second) throws Exception {
    fill();
    Path slab = directory.resolve("slab-8192.kv");
    byte[] good = Files.readAllBytes(slab);
    try (LocalStore store = Fixture.open(second);
        NamespaceStore namespace = store.open(MANIFEST)) {
      Fixture.save(namespace, KEYS);
    }
    Files.copy(
        second.resolve("slab-8192.kv"), slab, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    refused(
        Kind.MISMATCH,
        "slab file %s: it belongs to store %s, this directory is store %s; move it back to its own directory"
                .formatted(slab, id(second), id(directory))
            + UNCHANGED,
        this::open);
    Files.write(slab, good);
    intact();
  }

  private static String id(Path store) throws Exception {
    return Files.readAllLines(store.resolve("store")).get(1).substring(3);
  }

  @Test
  void aDamagedOrMissingCheckpointIsLeftAlone() throws Exception {
    fillWithCheckpoint();
    Path checkpoint = directory.resolve("slab-8192.checkpoint");
    byte[] good = Files.readAllBytes(checkpoint);
    byte[] bad = good.clone();
    bad[4096] ^= 1;
    Files.write(checkpoint, bad);
    String wayOut =
        "; restore the file, or move it and the slab file of the same size out of the directory to"
            + " go on without their blocks"
            + UNCHANGED;
    refused(
        Kind.MISMATCH,
        "checkpoint %s: section 0 fails its checksum%s".formatted(checkpoint, wayOut),
        this::open);
    Files.delete(checkpoint);
    StoreException e = assertThrows(StoreException.class, this::open);
    assertEquals(
        "checkpoint %s: the log was written after checkpoint N, the one that is there says 0%s"
            .formatted(checkpoint, wayOut),
        e.getMessage().replaceFirst("after checkpoint [0-9]+", "after checkpoint N"));
    Files.write(checkpoint, good);
    intact();
  }

  @Test
  void aLockedDirectoryNamesItsOwner() throws Exception {
    fill();
    try (Store store = open()) {
      assertEquals(0, store.usage().leasedBlocks());
      StoreException e = assertThrows(StoreException.class, this::open);
      assertEquals(
          "store directory %s: locked by process %d; end that process, or configure another directory"
              .formatted(directory, ProcessHandle.current().pid()),
          e.getMessage());
    }
    intact();
  }

  @Test
  void anOpeningThatRunsOutOfMemoryHoldsNeitherLockNorThreads() throws Exception {
    fillWithCheckpoint();
    OutOfMemoryError none = new OutOfMemoryError("Cannot reserve direct buffer memory");
    IoMemory exhausted =
        (arena, bytes, alignment) -> {
          throw none;
        };
    LocalConfig config = Fixture.config(directory, 64 << 20);
    Set<Thread> before = threads();
    assertSame(
        none,
        assertThrows(
            OutOfMemoryError.class,
            () -> Opening.open(config, exhausted, Fixture.LOG, Fixture.CLOSE)));
    for (Thread thread : threads()) {
      if (!before.contains(thread)) {
        assertTrue(thread.join(Duration.ofSeconds(60)), thread.getName());
      }
    }
    intact();
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("kvasir-local-io-"))
        .collect(Collectors.toSet());
  }

  @Test
  void aCapacityBelowWhatIsThereIsAConfigurationError() throws Exception {
    fill();
    LocalConfig small = Fixture.config(directory, 100_000);
    StoreException e =
        assertThrows(
            StoreException.class, () -> new LocalProvider().open(new Fixture.Context(small)));
    assertEquals(
        "capacity: 100000 B is less than the N bytes that the store %s occupies; raise it, or configure an empty directory"
            .formatted(directory),
        e.getMessage().replaceFirst("the [0-9]+ bytes", "the N bytes"));
    assertEquals(Kind.CONFIGURATION, e.kind());
    intact();
  }

  @Test
  void aBlockLargerThanTheCapacityEndsCapacityAndSaysTheWayOut() throws Exception {
    NamespaceManifest large = Fixture.manifest("acme", 1000);
    LocalConfig config = Fixture.config(directory, 8 << 20);
    try (Store store = new LocalProvider().open(new Fixture.Context(config));
        NamespaceStore namespace = store.open(large)) {
      Blocks saved = Fixture.save(namespace, Fixture.keys(large, 1, 1));
      assertEquals(BlockStatus.CAPACITY, saved.status(0));
      assertEquals(
          "capacity: 8 MiB is too small for blocks of 4096000 bytes; write at least 32940680",
          saved.cause(0).getMessage());
    }
  }
}

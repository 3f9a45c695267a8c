package io.kvasir.core.weights;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SidecarTest {
  private static final InstantSource LATER =
      InstantSource.offset(InstantSource.system(), Duration.ofMinutes(1));

  @TempDir Path directory;
  private Path file;

  @BeforeEach
  void write() throws IOException {
    assumeTrue(
        directory.getFileSystem().supportedFileAttributeViews().contains("unix"),
        "this file system has no inode and change time, so nothing is kept");
    file = Files.writeString(directory.resolve("model.safetensors"), "weights");
    Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000)); // can be set back exactly
  }

  @Test
  void digestOfAnUnchangedFileIsNotComputedAgain() throws IOException {
    String real = content(sidecar());
    assertEquals(real, content(sidecar()));
    String forged = forge();
    assertNotEquals(real, forged); // it can only come from the sidecar
    assertEquals(forged, content(sidecar()));
  }

  @Test
  void changedFileIsReadAgainEvenIfSizeAndTimeAreSetBack() throws IOException {
    String real = content(sidecar());
    String forged = forge();
    FileTime time = Files.getLastModifiedTime(file);
    Files.writeString(file, "changed");
    Files.setLastModifiedTime(file, time);
    String changed = content(sidecar());
    assertNotEquals(real, changed);
    assertNotEquals(forged, changed);
    Files.writeString(file, "weights");
    assertEquals(real, content(sidecar()));
  }

  @Test
  void replacedFileIsReadAgain() throws IOException {
    String real = content(sidecar());
    forge();
    Path fresh = Files.writeString(directory.resolve("fresh"), "weights");
    Files.setLastModifiedTime(fresh, Files.getLastModifiedTime(file));
    Files.move(fresh, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    assertEquals(real, content(sidecar()));
  }

  @Test
  void eachThingThatAFileIsRecognisedByCounts() {
    Instant t = Instant.EPOCH;
    Set<String> lines =
        Stream.of(
                new FileKey("/a", 1, t, t, 1),
                new FileKey("/b", 1, t, t, 1),
                new FileKey("/a", 2, t, t, 1),
                new FileKey("/a", 1, t.plusNanos(1), t, 1),
                new FileKey("/a", 1, t, t.plusNanos(1), 1),
                new FileKey("/a", 1, t, t, 2))
            .map(FileKey::line)
            .collect(Collectors.toSet());
    assertEquals(6, lines.size());
    assertFalse(new FileKey("/a b\nc", 1, t, t, 1).line().matches("(?s).*(\n|/a b).*"));
  }

  @Test
  void damagedSidecarIsIgnoredAndWrittenAnew() throws IOException {
    String real = content(sidecar());
    Path stored = sidecar().file();
    byte[] good = Files.readAllBytes(stored);
    for (int i = 0; i < good.length; i += 37) {
      byte[] bad = good.clone();
      bad[i] ^= 1;
      Files.write(stored, bad);
      assertEquals(real, content(sidecar()), "a bit flipped at " + i);
    }
    for (int length : List.of(0, 1, good.length / 2, good.length - 1)) {
      Files.write(stored, java.util.Arrays.copyOf(good, length));
      assertEquals(real, content(sidecar()), "cut at " + length);
    }
    assertEquals(
        new String(good, StandardCharsets.UTF_8), Files.readString(stored), "written anew");
  }

  @Test
  void sidecarIsTheUsersOwn() throws IOException {
    content(sidecar());
    Path stored = sidecar().file();
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(stored)));
    assertEquals(
        "rwx------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(stored.getParent())));
    String real = content(sidecar());
    forge();
    Files.setPosixFilePermissions(stored, PosixFilePermissions.fromString("rw-rw-rw-"));
    assertEquals(real, content(sidecar()), "what others can write is not believed");
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(stored)));
  }

  @Test
  void digestOfAFileWrittenJustNowIsNotKept() throws IOException {
    Sidecar now = Sidecar.of(directory.resolve("cache"), directory, InstantSource.system());
    content(now);
    assertFalse(Files.exists(now.file()), "it could change again within the clock's resolution");
  }

  @Test
  void cacheDirectoryThatCannotBeWrittenCostsTimeOnly() throws IOException {
    Path blocked = Files.writeString(directory.resolve("blocked"), "a file, no directory");
    String real = content(sidecar());
    assertEquals(real, content(Sidecar.of(blocked, directory, LATER)));
  }

  @Test
  void modelDirectoryIsLeftAlone() throws IOException {
    content(sidecar());
    try (var files = Files.list(directory)) {
      assertTrue(
          files.allMatch(f -> f.equals(file) || f.endsWith("cache")), "only the cache is new");
    }
  }

  /** Puts another digest into the sidecar, with a right sum. */
  private String forge() throws IOException {
    Sidecar sidecar = sidecar();
    sidecar.put(FileKey.of(file), new byte[32]);
    sidecar.write();
    return content(sidecar());
  }

  private Sidecar sidecar() {
    return Sidecar.of(directory.resolve("cache"), directory, LATER);
  }

  private String content(Sidecar sidecar) throws IOException {
    return new FileHashes(sidecar)
        .content(List.of(new WeightFiles.File("model.safetensors", file)));
  }
}

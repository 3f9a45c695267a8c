package io.kvasir.core.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvasir.api.identity.IdentityException;
import io.kvasir.api.identity.Weights;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The golden value is in {@link VectorsTest}. */
class FilesDigestTest {
  private static FilesDigest.Entry file(String name, long size, int fill) {
    byte[] sha = new byte[32];
    Arrays.fill(sha, (byte) fill);
    return new FilesDigest.Entry(name, size, sha);
  }

  @Test
  void nearSetsOfFilesHaveDifferentDigests() {
    List<List<FilesDigest.Entry>> sets =
        List.of(
            List.of(file("a", 1, 1)),
            List.of(file("a", 2, 1)),
            List.of(file("a", 1L << 32, 1)),
            List.of(file("a", 1, 2)),
            List.of(file("b", 1, 1)),
            List.of(file("a\u0001", 1, 1)),
            List.of(file("\u00fc", 1, 1)),
            List.of(file("u\u0308", 1, 1)),
            List.of(file("a", 1, 1), file("b", 1, 1)),
            List.of(file("a", 1, 1), file("b", 1, 2)),
            List.of(file("a", 1, 2), file("b", 1, 1)),
            List.of(file("ab", 1, 1), file("c", 1, 1)),
            List.of(file("a", 1, 1), file("bc", 1, 1)));
    Set<String> digests = new HashSet<>();
    sets.forEach(s -> digests.add(FilesDigest.content(s)));
    assertEquals(sets.size(), digests.size());
  }

  /** Made by reference.py, which sorts by the bytes of UTF-8: another order than that of UTF-16. */
  @Test
  void namesAreSortedByTheirBytesInUtf8() {
    List<FilesDigest.Entry> files =
        new ArrayList<>(List.of(file("\uD83D\uDE00", 2, 2), file("\uFB33", 1, 1)));
    assertEquals(
        "sha256:bc1c8b288d9573bee9d5207947e88a03f919af846641bc185b65731e964aee4d",
        FilesDigest.content(files));
    assertEquals(
        "sha256:bc1c8b288d9573bee9d5207947e88a03f919af846641bc185b65731e964aee4d",
        FilesDigest.content(files.reversed()));
  }

  @Test
  void theDigestNamesBaseWeights() {
    String content = FilesDigest.content(List.of(file("a", 0, 0x11)));
    assertEquals(
        "sha256:8365f7b8ef6a7dc8fbd0595a41fb57fef11a28faac8ac268122846a5bff89aeb", content);
    assertNotEquals(Weights.content(content).hexId(), Weights.fullContent(content).hexId());
  }

  @Test
  void badFilesAreRefused() {
    refused("files digest: no file; weights have at least one", () -> FilesDigest.of(List.of()));
    refused(
        "files digest: \"a\" stands twice",
        () -> FilesDigest.of(List.of(file("a", 1, 1), file("b", 1, 1), file("a", 2, 2))));
    refused("files digest: a file without a name", () -> file("", 1, 1));
    refused("files digest: a file without a name", () -> file(null, 1, 1));
    refused("files digest: \"a\" has a size of -1 bytes", () -> file("a", -1, 1));
    refused(
        "files digest: the SHA-256 of \"a\" has 32 bytes, not 20",
        () -> new FilesDigest.Entry("a", 1, new byte[20]));
    refused("lone surrogate U+D800 in a string: index 0", () -> file("\uD800", 1, 1));
  }

  private static void refused(String message, Executable action) {
    assertEquals(message, assertThrows(IdentityException.class, action).getMessage());
  }
}

package io.kvasir.core.identity;

import io.kvasir.api.identity.CanonicalJson;
import io.kvasir.api.identity.IdentityException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;

/**
 * The digest of a set of files by name, size and content: {@code SHA-256("kvasir/files/1\0" | per
 * file, by name: u32 length | name | u64 size | SHA-256)}, integers big-endian and names in UTF-8.
 * It is what names base weights by content.
 */
public final class FilesDigest {
  private static final Comparator<Entry> BY_NAME =
      Comparator.comparing(Entry::encodedName, Arrays::compareUnsigned);

  private FilesDigest() {}

  /**
   * One file.
   *
   * @param name the name within the set, with {@code /} between folders on every system
   * @param size bytes
   * @param sha256 digest of all bytes, 32 bytes; do not change them afterwards
   */
  @SuppressWarnings("ArrayRecordComponent") // hashed, compared by nobody
  public record Entry(String name, long size, byte[] sha256) {
    /** Checks all three. */
    public Entry {
      if (name == null || name.isEmpty()) {
        throw new IdentityException("files digest: a file without a name");
      }
      CanonicalJson.text(name); // refuses what UTF-8 cannot hold
      if (size < 0) {
        throw new IdentityException(
            "files digest: \"" + name + "\" has a size of " + size + " bytes");
      }
      if (sha256.length != 32) {
        throw new IdentityException(
            "files digest: the SHA-256 of \"" + name + "\" has 32 bytes, not " + sha256.length);
      }
    }

    private byte[] encodedName() {
      return name.getBytes(StandardCharsets.UTF_8);
    }
  }

  /**
   * {@return the 32 bytes of the digest; the order of the files does not matter}
   *
   * @throws IdentityException if there is no file, or a name stands twice
   */
  public static byte[] of(Collection<Entry> files) {
    if (files.isEmpty()) {
      throw new IdentityException("files digest: no file; weights have at least one");
    }
    List<Entry> sorted = files.stream().sorted(BY_NAME).toList();
    MessageDigest d = Digests.tagged("kvasir/files/1");
    String before = null;
    for (Entry e : sorted) {
      if (e.name().equals(before)) {
        throw new IdentityException("files digest: \"" + e.name() + "\" stands twice");
      }
      before = e.name();
      byte[] name = e.encodedName();
      d.update(ByteBuffer.allocate(4).putInt(name.length).flip());
      d.update(name);
      d.update(ByteBuffer.allocate(8).putLong(e.size()).flip());
      d.update(e.sha256());
    }
    return d.digest();
  }

  /** {@return the digest as {@code semantic.weights.content} takes it: {@code sha256:} and hex} */
  public static String content(Collection<Entry> files) {
    return "sha256:" + HexFormat.of().formatHex(of(files));
  }
}

package io.kvasir.api.identity;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * The SHA-256 of a canonical namespace manifest: 32 bytes that a manifest proves of itself.
 *
 * <p>Immutable.
 */
public final class NamespaceId implements Comparable<NamespaceId> {
  private final byte[] bytes;

  private NamespaceId(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * {@return the id with these 32 bytes, which are copied}
   *
   * @throws IdentityException if there are not 32
   */
  public static NamespaceId of(byte[] bytes) {
    if (bytes.length != Sha256.BYTES) {
      throw new IdentityException("a namespace id has 32 bytes, not " + bytes.length);
    }
    return new NamespaceId(bytes.clone());
  }

  /**
   * {@return the id written as 64 lower-case hexadecimal digits}
   *
   * @throws IdentityException if the text is something else
   */
  public static NamespaceId parse(String hex) {
    try {
      if (hex.equals(hex.toLowerCase(java.util.Locale.ROOT))) {
        return of(HexFormat.of().parseHex(hex));
      }
    } catch (IllegalArgumentException e) {
      // said below, with the value
    }
    throw new IdentityException(
        "namespace id \"" + hex + "\" is not 64 lower-case hexadecimal digits");
  }

  /** {@return a copy of the 32 bytes} */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** Copies the first {@code count} bytes of the id to {@code to}, from {@code offset}. */
  public void copyTo(byte[] to, int offset, int count) {
    System.arraycopy(bytes, 0, to, offset, count);
  }

  /** {@return the 64 hexadecimal digits} */
  public String hex() {
    return Sha256.hex(bytes);
  }

  /** {@return the first 16 bytes in hexadecimal digits, as flat keys and displays use them} */
  public String prefix() {
    return HexFormat.of().formatHex(bytes, 0, 16);
  }

  @Override
  public int compareTo(NamespaceId other) {
    return Arrays.compareUnsigned(bytes, other.bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof NamespaceId id && Arrays.equals(bytes, id.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return hex();
  }
}

package io.kvasir.api.identity;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 with a domain tag, the only hash that identities are made of. */
final class Sha256 {
  static final int BYTES = 32;
  private static final HexFormat HEX = HexFormat.of();

  /** Never fed: a copy of it costs a fraction of a search through the providers. */
  private static final MessageDigest FRESH = fresh();

  private static MessageDigest fresh() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  private Sha256() {}

  static MessageDigest digest() {
    try {
      return (MessageDigest) FRESH.clone();
    } catch (CloneNotSupportedException e) {
      return fresh(); // of a provider that has no copies
    }
  }

  static byte[] of(byte[] bytes) {
    return digest().digest(bytes);
  }

  /** {@return the digest of the tag in ASCII, a zero byte and the parts} */
  static byte[] tagged(String tag, byte[]... parts) {
    MessageDigest d = digest();
    d.update(tag.getBytes(StandardCharsets.US_ASCII));
    d.update((byte) 0);
    for (byte[] part : parts) {
      d.update(part);
    }
    return d.digest();
  }

  static byte[] uint32(int value) {
    return new byte[] {
      (byte) (value >>> 24), (byte) (value >>> 16), (byte) (value >>> 8), (byte) value
    };
  }

  static String hex(byte[] bytes) {
    return HEX.formatHex(bytes);
  }

  static void update(MessageDigest d, int value) {
    d.update((byte) (value >>> 24));
    d.update((byte) (value >>> 16));
    d.update((byte) (value >>> 8));
    d.update((byte) value);
  }
}

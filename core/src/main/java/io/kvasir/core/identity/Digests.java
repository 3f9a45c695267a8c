package io.kvasir.core.identity;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256, plain and behind a tag. */
public final class Digests {
  private Digests() {}

  /** {@return a digest of SHA-256} */
  public static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  /** {@return a digest that has the tag in ASCII and a zero byte behind it} */
  static MessageDigest tagged(String tag) {
    MessageDigest d = sha256();
    d.update(tag.getBytes(StandardCharsets.US_ASCII));
    d.update((byte) 0);
    return d;
  }
}

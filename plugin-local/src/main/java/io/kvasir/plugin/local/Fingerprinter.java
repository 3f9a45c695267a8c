package io.kvasir.plugin.local;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceId;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Fingerprints of the blocks of one namespace, group and shard, as {@code BlockKeys.fingerprint}
 * has them: the digest, its input and its output are there once for all of them. Not thread-safe.
 */
final class Fingerprinter {
  private static final byte[] TAG = "kvasir/fp/1\0".getBytes(StandardCharsets.US_ASCII);
  private static final int HASH = 32;

  private final MessageDigest digest = sha256();
  private final byte[] input;
  private final int hashAt;
  private final byte[] output = new byte[HASH];
  private final MemorySegment print = MemorySegment.ofArray(output);

  Fingerprinter(NamespaceId namespace, int group, int shard) {
    ByteBuffer start = ByteBuffer.allocate(TAG.length + 40 + HASH);
    start.put(TAG).put(namespace.bytes()).putInt(group).putInt(shard);
    this.input = start.array();
    this.hashAt = start.position();
  }

  /** The fingerprints of all keys, two words each. */
  static long[] of(BlockKeys keys) {
    Fingerprinter prints = new Fingerprinter(keys.namespace().id(), keys.group(), keys.shard());
    long[] all = new long[2 * keys.count()];
    for (int i = 0; i < keys.count(); i++) {
      keys.copyHash(i, prints.input, prints.hashAt);
      prints.digest();
      all[2 * i] = prints.print.get(Layout.U64, 0);
      all[2 * i + 1] = prints.print.get(Layout.U64, 8);
    }
    return all;
  }

  /** The fingerprint of a key of that namespace, group and shard. */
  Bits128 of(Key key) {
    MemorySegment hash = MemorySegment.ofArray(input).asSlice(hashAt);
    hash.set(Layout.U64, 0, key.hash0());
    hash.set(Layout.U64, 8, key.hash1());
    hash.set(Layout.U64, 16, key.hash2());
    hash.set(Layout.U64, 24, key.hash3());
    digest();
    return Bits128.read(print, 0);
  }

  private void digest() {
    digest.update(input);
    try {
      digest.digest(output, 0, HASH);
    } catch (DigestException e) {
      throw new AssertionError("a SHA-256 has 32 bytes", e);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}

package io.kvasir.api.identity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.HexFormat;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Golden values of identity.json for places that the vectors' own deployment does not have. */
class BlockKeysTest {
  private static final String BLOCK_2 =
      "325843eee01255979b6811609801a9e27cf8f06ae2553172c94b1b5acff9114d";

  private static BlockKeys block2(int group, int shard) {
    return new BlockKeys(
        Samples.manifest(), group, shard, 2, null, HexFormat.of().parseHex(BLOCK_2));
  }

  @Test
  void theSampleIsTheDeploymentOfTheVectors() {
    assertEquals(Samples.NAMESPACE_ID, Samples.manifest().id().hex());
  }

  @Test
  void flatKeysAreTheGoldenOnes() {
    checkFlatKeys();
  }

  private static void checkFlatKeys() {
    String namespace = Samples.NAMESPACE_ID.substring(0, 32);
    assertEquals("kv1:" + namespace + ":g0:s1:" + BLOCK_2, block2(0, 1).flatKey(0));
    assertEquals("kv1:" + namespace + ":g12:s31:" + BLOCK_2, block2(12, 31).flatKey(0));
  }

  @Test
  void fingerprintsAreTheGoldenOnes() {
    assertEquals("fa1cf8410b45e8f66347a24464d60690", fingerprint(0, 0));
    assertEquals("1cd4928470ea6bafcaa2b8e9b58f6843", fingerprint(0, 1));
    assertEquals("d29a8542f62bbce1e9525d32d0230d27", fingerprint(1, 0));
  }

  private static String fingerprint(int group, int shard) {
    return HexFormat.of().formatHex(block2(group, shard).fingerprint(0));
  }

  @Test
  void flatKeysHaveAsciiDigitsInEveryLocale() {
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
      assertEquals("٣١", "%d".formatted(31), "this locale has digits of its own");
      checkFlatKeys();
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void aSliceKeepsDepthAndParent() {
    byte[] hashes = new byte[96];
    java.util.Arrays.fill(hashes, 32, 64, (byte) 1);
    java.util.Arrays.fill(hashes, 64, 96, (byte) 2);
    BlockKeys keys = new BlockKeys(Samples.manifest(), 0, 0, 5, null, hashes);
    BlockKeys slice = keys.slice(2, 3);
    assertEquals(7, slice.firstBlock());
    assertArrayEquals(keys.hash(1), slice.parent(0));
    assertArrayEquals(keys.fingerprint(1), slice.parentFingerprint(0));
    assertNull(keys.parent(0));
    assertNull(keys.parentFingerprint(0));
  }
}

package io.kvasir.api.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class KvGroupTest {
  private static final Quantization.Scheme INT8 =
      new Quantization.Scheme(
          "int", 8, "token", null, false, Dtype.F16, null, Quantization.Scales.IN_BLOCK);

  @Test
  void aBlockHoldsKAndVOfAllLayersAndTokens() {
    KvGroup group = KvGroup.full(0, 16, List.of(0, 1, 2), 8, 128, Dtype.BF16);

    assertEquals(3L * 16 * 8 * (128 + 128) * 2, group.payloadBytes(Shards.ONE));
    assertEquals(3L * 16 * 4 * (128 + 128) * 2, group.payloadBytes(new Shards.KvHead(2)));
    assertEquals(3L * 16 * 1 * (128 + 128) * 2, group.payloadBytes(new Shards.KvHead(16)));
  }

  @Test
  void scalesOfASideThatIsNotStoredTakeNoRoom() {
    KvGroup latent = quantised(GroupKind.MLA, 1, 576, 0);

    assertEquals(16L * 576 + 16 * 2 * 2, latent.payloadBytes(Shards.ONE));
  }

  @Test
  void aBlockBeyond64BitsIsRefusedAndNotWrappedToASmallOne() {
    KvGroup huge = KvGroup.full(0, 1 << 16, List.of(0), 1 << 30, 1 << 18, Dtype.F32);

    FormatException e = assertThrows(FormatException.class, () -> huge.payloadBytes(Shards.ONE));
    assertEquals("groups[0]: a block of more than 2^63 bytes", e.getMessage());
  }

  private static KvGroup quantised(GroupKind kind, int heads, int kDim, int vDim) {
    return new KvGroup(
        0,
        kind,
        HitRule.ALL,
        16,
        null,
        null,
        null,
        List.of(0),
        heads,
        kDim,
        vDim,
        Dtype.INT8,
        Dtype.INT8,
        new Quantization(INT8, INT8));
  }
}

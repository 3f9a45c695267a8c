package io.kvasir.api.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import io.kvasir.api.format.ModelConfiguration;
import io.kvasir.api.format.Shards;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.ChainHasher;
import io.kvasir.api.identity.KeyChain;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.identity.Weights;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SealedBlockTest {
  private static final BlockKeys KEYS = keys();
  private static final byte[] PAYLOAD = new byte[(int) KEYS.payloadBytes()];

  static {
    for (int i = 0; i < PAYLOAD.length; i++) {
      PAYLOAD[i] = (byte) (i * 31);
    }
  }

  private final byte[] into = new byte[PAYLOAD.length];
  private final byte[] sealed = SealedBlock.seal(KEYS, 0, MemorySegment.ofArray(PAYLOAD));

  @Test
  void whatWasSealedOpens() {
    assertEquals(PAYLOAD.length + SealedBlock.TRAILER_BYTES, sealed.length);
    assertEquals(BlockStatus.OK, open(0, sealed));
    assertArrayEquals(PAYLOAD, into);
  }

  @Test
  void anyOtherBitIsCorruptAndTouchesNothing() {
    for (int bit = 0; bit < sealed.length * 8; bit++) {
      byte[] changed = sealed.clone();
      changed[bit / 8] ^= (byte) (1 << bit % 8);
      assertEquals(BlockStatus.CORRUPT, open(0, changed), "bit " + bit);
    }
    assertArrayEquals(new byte[PAYLOAD.length], into);
  }

  @Test
  void anyOtherLengthIsCorruptAndTouchesNothing() {
    for (int length = 0; length < sealed.length + 40; length++) {
      if (length != sealed.length) {
        assertEquals(
            BlockStatus.CORRUPT, open(0, Arrays.copyOf(sealed, length)), length + " bytes");
      }
    }
    assertArrayEquals(new byte[PAYLOAD.length], into);
  }

  @Test
  void anotherKeysBlockIsAMismatchAndTouchesNothing() {
    assertEquals(BlockStatus.MISMATCH, open(1, sealed));
    assertEquals(
        BlockStatus.MISMATCH,
        SealedBlock.open(KEYS, 0, sealed, MemorySegment.ofArray(new byte[PAYLOAD.length - 1])));
    assertArrayEquals(new byte[PAYLOAD.length], into);
  }

  @Test
  void aBlockThatIsNotThereIsAMiss() {
    Blocks blocks = blocks(into);
    assertEquals(BlockStatus.MISS, SealedBlock.open(blocks, 0, null));
    assertEquals(BlockStatus.OK, SealedBlock.open(blocks, 0, SealedBlock.seal(blocks(PAYLOAD), 0)));
    assertArrayEquals(PAYLOAD, into);
    assertEquals(BlockStatus.MISMATCH, SealedBlock.open(blocks, 1, sealed));
  }

  private static Blocks blocks(byte[] payload) {
    List<Frame> frames = new ArrayList<>();
    for (int i = 0; i < KEYS.count(); i++) {
      MemorySegment memory = MemorySegment.ofArray(i == 0 ? payload : payload.clone());
      frames.add(new Frame(memory, memory.byteSize()));
    }
    return new Blocks(KEYS, frames);
  }

  private BlockStatus open(int block, byte[] value) {
    return SealedBlock.open(KEYS, block, value, MemorySegment.ofArray(into));
  }

  static NamespaceManifest manifest() {
    KvFormat format =
        KvFormat.of(
            ModelConfiguration.of(Map.of("layers", 1)),
            new KvFormat.Compute("f32", "f32"),
            "test",
            "layer-kv-token-head/1",
            List.of(KvGroup.full(0, 4, List.of(0), 1, 4, Dtype.F32)),
            Shards.ONE);
    return NamespaceManifest.of("acme", Weights.named("m", "r-1"), format);
  }

  private static BlockKeys keys() {
    NamespaceManifest manifest = manifest();
    KeyChain chain =
        new KeyChain(manifest, new ChainHasher(manifest.id(), RequestScope.NONE), 4, List.of());
    chain.append(1, 2, 3, 4, 5, 6, 7, 8);
    return chain.keys(0, 0, 0, 2);
  }
}

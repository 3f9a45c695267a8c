package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.Frame;
import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** R-MEM: frames are the core's, lent for one call. */
public interface OwnershipRules extends StoreRules {
  /** vllm#51414: pinning 94 GB at once stopped the GPU. */
  @Test
  @Rule("R-MEM-1")
  default void framesAreAskedForAsTheCoreCanMakeThem() throws StoreException {
    FrameSource source = bench().store().frames();
    long alignment = source.alignment();
    assertTrue(
        alignment > 0 && Long.bitCount(alignment) == 1,
        "an alignment of " + alignment + " bytes is no power of two");
    assertTrue(
        source.pieceBytes() > 0 && source.pieceBytes() <= 1L << 30,
        "pieces of " + source.pieceBytes() + " bytes: 1 to 1 GiB can be had");
    long before = 0;
    for (long payload : new long[] {64, 4096, 4160, 1 << 20, 64 << 20}) {
      long frame = source.frameBytes(payload);
      assertTrue(frame >= payload, "a frame of " + frame + " bytes for " + payload);
      assertTrue(frame >= before, "a larger payload has a smaller frame: " + frame + " bytes");
      assertEquals(frame, source.frameBytes(payload), "asked again for " + payload);
      before = frame;
    }
  }

  /** A cache of registrations must not become a cache of bytes. */
  @Test
  @Rule("R-MEM-2")
  default void lentFramesComeBackWithOtherBytes() throws StoreException {
    StoreBench bench = bench();
    NamespaceManifest manifest = bench.manifest("team");
    try (NamespaceStore namespace = bench.open("team")) {
      Blocks lent = bench.empty(Chains.keys(manifest, 0, 4));
      for (int text = 0; text < 6; text++) {
        BlockKeys keys = Chains.keys(manifest, text, 4);
        Blocks blocks = again(lent, keys);
        for (int i = 0; i < 4; i++) {
          Payload.fill(blocks.frame(i).payload(), StoreBench.number(keys, i));
        }
        namespace.save(blocks, StoreBench.soon());
        StoreBench.all(io.kvasir.api.BlockStatus.OK, blocks);
      }
      for (int text = 5; text >= 0; text--) { // into frames that hold another block
        Blocks blocks = again(lent, Chains.keys(manifest, text, 4));
        try (BlockLease lease = namespace.lookup(blocks.keys(), StoreBench.soon())) {
          namespace.load(lease, blocks, StoreBench.soon());
        }
        StoreBench.all(io.kvasir.api.BlockStatus.OK, blocks);
        StoreBench.compare(blocks);
      }
    }
  }

  private static Blocks again(Blocks lent, BlockKeys keys) {
    List<Frame> frames = IntStream.range(0, 4).mapToObj(lent::frame).toList();
    return new Blocks(keys, frames);
  }
}

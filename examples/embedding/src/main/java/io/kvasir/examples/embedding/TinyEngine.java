package io.kvasir.examples.embedding;

import module io.kvasir.api;
import module java.base;

/** One layer, two KV heads of 64 floats, blocks of 16 tokens; its "attention" is a formula. */
public final class TinyEngine {
  private static final int BLOCK_TOKENS = 16;
  private static final long TOKEN_BYTES = 2 * 2 * 64 * Float.BYTES; // K and V

  /** {@return how many tokens of the prompt came from the store} */
  public static int run(Path configuration, int[] prompt) {
    EngineSpec spec =
        EngineSpec.builder().engine("tiny").resolver("explicit").blockTokens(BLOCK_TOKENS).build();
    Deadline soon = Deadline.after(Duration.ofSeconds(10));
    try (Kvasir kvasir = Kvasir.open(configuration);
        KvConnector cache = kvasir.connect(spec);
        Arena arena = Arena.ofShared();
        KvRequest request = cache.request(RequestScope.NONE, prompt)) {
      List<List<MemorySegment>> blocks = new ArrayList<>();
      for (int i = 0; i < prompt.length / BLOCK_TOKENS; i++) {
        blocks.add(List.of(arena.allocate(BLOCK_TOKENS * TOKEN_BYTES, 64)));
      }
      SegmentBlocks memory = SegmentBlocks.of(blocks);
      PrefixMatch match = request.lookup().await(soon); // the longest usable prefix, leased
      int cached = request.load(match, memory).await(soon).tokens(); // whole blocks
      prefill(blocks, prompt, cached); // the rest is computed as always
      request.save(memory, Fence.none()).await(soon); // what is not stored yet
      return cached;
    }
  }

  private static void prefill(List<List<MemorySegment>> blocks, int[] prompt, int from) {
    for (int i = from; i < blocks.size() * BLOCK_TOKENS; i++) {
      MemorySegment block = blocks.get(i / BLOCK_TOKENS).getFirst();
      block.asSlice(i % BLOCK_TOKENS * TOKEN_BYTES, TOKEN_BYTES).fill((byte) (prompt[i] * 31 + i));
    }
  }
}

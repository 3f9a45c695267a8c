package io.kvasir.examples.jlama;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvasir.examples.jlama.RandomLlama.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JlamaEngineTest {
  private static final int NEW_TOKENS = 6;

  @TempDir static Path directory;
  private static JlamaEngine engine;

  private final BlocksInMemory store = new BlocksInMemory(JlamaEngine.BLOCK_TOKENS);

  @BeforeAll
  static void load() throws IOException {
    assumeTrue(
        JlamaEngine.repeatsItsBits(),
        "Jlama found no native operations, and without them its bits change from run to run; run"
            + " on a platform whose jlama-native is on the class path");
    engine = JlamaEngine.open(RandomLlama.write(directory.resolve("model"), 42, Shape.SMALL));
  }

  @AfterAll
  static void close() {
    if (engine != null) {
      engine.close();
    }
  }

  @Test
  void withoutAStoreEveryPromptTokenIsComputed() {
    Generation run = engine.generate(prompt(100, "?"), NEW_TOKENS);
    assertEquals(0, run.hitTokens());
    assertEquals(101, run.computedTokens());
    assertEquals(NEW_TOKENS, run.tokens().size());
  }

  @Test
  void hitComputesTheRestOnlyAndGivesTheBitsOfAFullPrefill() {
    int[] first = prompt(100, "Who keeps the well?");
    int[] second = prompt(100, "What did the raven say?");
    engine.generate(first, NEW_TOKENS, store);

    Generation hit = engine.generate(second, NEW_TOKENS, store);
    assertEquals(96, hit.hitTokens());
    assertEquals(second.length - 96, hit.computedTokens());
    assertSameBits(engine.generate(second, NEW_TOKENS), hit);
  }

  /** The last token of such a prompt completes a block, but does not go through a full batch. */
  @Test
  void promptThatEndsWithABlockLeavesNoBlockOfOtherBits() {
    engine.generate(prompt(112, ""), NEW_TOKENS, store);
    assertEquals(6, store.blocks.size());

    int[] longer = prompt(112, "and more");
    Generation hit = engine.generate(longer, NEW_TOKENS, store);
    assertEquals(96, hit.hitTokens());
    assertSameBits(engine.generate(longer, NEW_TOKENS), hit);
  }

  @Test
  void lastPromptTokenIsComputedThoughEveryBlockIsThere() {
    int[] prompt = prompt(113, "");
    engine.generate(prompt, NEW_TOKENS, store);
    Generation again = engine.generate(prompt, NEW_TOKENS, store);
    assertEquals(112, again.hitTokens());
    assertEquals(1, again.computedTokens());
    assertSameBits(engine.generate(prompt, NEW_TOKENS), again);
  }

  @Test
  void promptShorterThanABlockStoresNothing() {
    engine.generate(prompt(16, ""), NEW_TOKENS, store);
    assertEquals(0, store.blocks.size());
  }

  @Test
  void storedBlocksAreTheSameWhereverThePromptGoesOn() {
    engine.generate(prompt(100, "Who?"), NEW_TOKENS, store);
    BlocksInMemory other = new BlocksInMemory(JlamaEngine.BLOCK_TOKENS);
    engine.generate(prompt(100, "A longer question?"), NEW_TOKENS, other);
    assertEquals(6, store.blocks.size());
    store.blocks.forEach((key, block) -> assertArrayEquals(block, other.blocks.get(key)));
  }

  @Test
  void oneFlippedBitInOneBlockChangesTheLogits() {
    int[] prompt = prompt(200, "?");
    Generation control = engine.generate(prompt, NEW_TOKENS, store);
    byte[] block = store.blocks.get(Arrays.stream(prompt).limit(96).boxed().toList());
    block[block.length / 2 + 2] ^= 0x40; // the first bit behind the point
    Generation hit = engine.generate(prompt, NEW_TOKENS, store);
    assertEquals(192, hit.hitTokens());
    assertNotEquals(control.logits(), hit.logits());
  }

  @Test
  void twoSwappedBlocksChangeTheLogits() {
    int[] prompt = prompt(200, "?");
    Generation control = engine.generate(prompt, NEW_TOKENS, store);
    List<Integer> one = Arrays.stream(prompt).limit(32).boxed().toList();
    List<Integer> other = Arrays.stream(prompt).limit(96).boxed().toList();
    store.blocks.put(one, store.blocks.put(other, store.blocks.get(one)));
    assertNotEquals(control.logits(), engine.generate(prompt, NEW_TOKENS, store).logits());
  }

  @Test
  void tokensOfATextBeginWithBosAndAreItsBytes() {
    int[] tokens = engine.encode("Ab");
    assertEquals(List.of(1, 3 + 'A', 3 + 'b'), Arrays.stream(tokens).boxed().toList());
  }

  @Test
  void emptyPromptIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> engine.generate(new int[0], NEW_TOKENS));
  }

  @Test
  void promptBeyondTheContextIsRefused() {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class, () -> engine.generate(prompt(4096, ""), NEW_TOKENS));
    assertTrue(refused.getMessage().contains("context of 4096"), refused.getMessage());
  }

  @Test
  void modelOfAnUnknownFamilyIsRefusedByName() throws IOException {
    Path model = RandomLlama.write(directory.resolve("unknown"), 42, Shape.SMALL);
    String config = Files.readString(model.resolve("config.json"));
    Files.writeString(
        model.resolve("config.json"),
        config.replace("\"model_type\": \"llama\"", "\"model_type\": \"mamba\""));
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> JlamaEngine.open(model));
    assertTrue(refused.getMessage().contains("MAMBA"), refused.getMessage());
  }

  /** A document of which {@code shared} tokens are taken, BOS included, and what follows it. */
  private static int[] prompt(int shared, String question) {
    return engine.encode(Prompts.document(1, shared).substring(0, shared - 1) + question);
  }

  private static void assertSameBits(Generation expected, Generation actual) {
    assertEquals(expected.logits(), actual.logits());
    assertEquals(expected.tokens(), actual.tokens());
  }
}

package io.kvasir.examples.jlama;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.Gauges;
import io.kvasir.api.KvConnector;
import io.kvasir.api.KvRequest;
import io.kvasir.api.Kvasir;
import io.kvasir.api.PrefixMatch;
import io.kvasir.api.SegmentBlocks;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.cuda.standin.StandIn;
import io.kvasir.cuda.standin.StandInGpu;
import io.kvasir.examples.jlama.RandomLlama.Shape;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jlama over the local store, in processes of their own where a process matters. */
class JlamaIT {
  private static final Path PLUGINS = Path.of(System.getProperty("kvasir.plugins"));
  private static final int SHARED = 320;
  private static final int NEW_TOKENS = 6;

  /** Pages of 1365 positions, no multiple of 16: see {@link KvPagesTest}. */
  private static final Shape ODD_PAGES = new Shape(4096, 192, 256, 6, 3, 1, 288);

  @TempDir static Path shared;
  private static Path model;

  @TempDir Path temporary;
  private FreshJvm jvm;
  private int requests;

  @BeforeAll
  static void writeModel() throws IOException {
    assumeTrue(
        JlamaEngine.repeatsItsBits(),
        "Jlama found no native operations, and without them its bits change from run to run; run"
            + " on a platform whose jlama-native is on the class path");
    model = RandomLlama.write(shared.resolve("llama"), 42, Shape.SMALL);
  }

  @BeforeEach
  void openDirectory() {
    jvm = new FreshJvm(temporary);
  }

  @Test
  void hitInAnotherProcessGivesTheBitsOfAFullPrefill() throws Exception {
    Path strict = configuration("strict", false);
    Generation miss = ask(model, strict, Prompts.QUESTION_A);
    Generation hit = ask(model, strict, Prompts.QUESTION_B);
    Generation control = ask(model, null, Prompts.QUESTION_B);

    assertEquals(0, miss.hitTokens());
    assertEquals(SHARED, hit.hitTokens());
    assertEquals(control.computedTokens() - SHARED, hit.computedTokens());
    assertEquals(control.logits(), hit.logits());
    assertNotEquals(miss.logits(), hit.logits());
  }

  @Test
  void oneOtherWeightUnderTheSameNameFindsNothing() throws Exception {
    Path other = ModelFiles.read(model).copyWithOneOtherNumber(temporary.resolve("llama"));
    Path strict = configuration("strict", false);
    ask(model, strict, Prompts.QUESTION_A);

    Generation found = ask(other, strict, Prompts.QUESTION_B);
    assertEquals(0, found.hitTokens());
    assertEquals(ask(other, null, Prompts.QUESTION_B).logits(), found.logits());
  }

  /** InternLM/lmdeploy#4930: the old keys do not know the weights. */
  @Test
  void oldKeysServeTheBlocksOfOtherWeightsAndTheLogitsAreSilentlyWrong() throws Exception {
    Path other = ModelFiles.read(model).copyWithOneOtherNumber(temporary.resolve("llama"));
    Path unsafe = configuration("unsafe", true);
    ask(model, unsafe, Prompts.QUESTION_A);

    Generation served = ask(other, unsafe, Prompts.QUESTION_B);
    assertEquals(SHARED, served.hitTokens());
    assertNotEquals(ask(other, null, Prompts.QUESTION_B).logits(), served.logits());
  }

  /** Its checksum is right: nothing but the bytes themselves can show it. */
  @Test
  void oneFlippedByteInOneStoredBlockChangesTheLogits() throws Exception {
    try (JlamaEngine engine = JlamaEngine.open(model);
        Kvasir right = Kvasir.open(configuration("right", false));
        KvConnector cache = right.connect(engine.spec());
        Kvasir wrong = Kvasir.open(configuration("wrong", false));
        KvConnector flipped = wrong.connect(engine.spec());
        Arena arena = Arena.ofShared()) {
      int[] prompt = engine.encode(Prompts.document(1, SHARED));
      Generation control = engine.generate(prompt, NEW_TOKENS, cache);
      SegmentBlocks blocks = load(cache, prompt, arena);
      MemorySegment block = blocks.blocks().get(7).getFirst();
      long at = block.byteSize() / 2 + 2; // of the mantissa, so that no rounding can hide it
      byte stored = block.get(ValueLayout.JAVA_BYTE, at);
      block.set(ValueLayout.JAVA_BYTE, at, (byte) ~stored);
      save(flipped, prompt, blocks);

      Generation hit = engine.generate(prompt, NEW_TOKENS, flipped);
      assertEquals(blocks.endBlock() * JlamaEngine.BLOCK_TOKENS, hit.hitTokens());
      assertNotEquals(control.logits(), hit.logits());
      assertEquals(control.logits(), engine.generate(prompt, NEW_TOKENS, cache).logits());
    }
  }

  @Test
  void hitOverAPageBoundaryGivesTheBitsOfAFullPrefill() throws Exception {
    Path odd = RandomLlama.write(temporary.resolve("odd"), 1, ODD_PAGES);
    try (JlamaEngine engine = JlamaEngine.open(odd);
        Kvasir kvasir = Kvasir.open(configuration("odd-pages", false));
        KvConnector cache = kvasir.connect(engine.spec())) {
      int[] prompt = engine.encode(Prompts.document(1, 1500));
      Generation miss = engine.generate(prompt, NEW_TOKENS, cache);
      Generation hit = engine.generate(prompt, NEW_TOKENS, cache);
      assertEquals(0, miss.hitTokens());
      assertTrue(hit.hitTokens() > 1376, hit.toString());
      assertEquals(engine.generate(prompt, NEW_TOKENS).logits(), hit.logits());
    }
  }

  /** With the plugin kvasir-cuda as it ships, over the unmodified JCuda, on the driver stand-in. */
  @Test
  void planesOnAGpuGiveTheBitsOfAFullPrefill() throws Exception {
    StandIn standIn = StandIn.load();
    System.setProperty("kvasir.cuda.standin", "true");
    try (JlamaEngine engine = JlamaEngine.open(model);
        StandInGpu gpu = new StandInGpu(standIn);
        Kvasir kvasir = Kvasir.open(configuration("gpu", false));
        KvConnector cache = kvasir.connect(engine.spec())) {
      int planes = 2 * cache.namespace().format().groups().getFirst().layers().size();
      KvConnector onGpu = new PlanesOnGpu(cache, gpu, planes);
      int[] prompt = engine.encode(Prompts.document(1, SHARED) + Prompts.QUESTION_A);
      int[] next = engine.encode(Prompts.document(1, SHARED) + Prompts.QUESTION_B);
      Generation miss = engine.generate(prompt, NEW_TOKENS, onGpu);
      Generation hit = engine.generate(next, NEW_TOKENS, onGpu);
      assertEquals(0, miss.hitTokens());
      assertTrue(hit.hitTokens() >= SHARED / 2, hit.toString());
      assertEquals(engine.generate(next, NEW_TOKENS).logits(), hit.logits());
      Generation onCpu = engine.generate(next, NEW_TOKENS, cache); // the GPU's blocks
      assertTrue(onCpu.hitTokens() >= hit.hitTokens(), onCpu.toString());
      assertEquals(hit.logits(), onCpu.logits());
      assertTrue(standIn.count("launches") > 0, "the planes went through the kernels");
    } finally {
      System.clearProperty("kvasir.cuda.standin");
    }
    assertEquals(StandIn.NOTHING, standIn.live());
    assertEquals(0, standIn.count("faults"));
    assertEquals(0, standIn.count("virtual-calls"));
  }

  @Test
  void nothingIsHeldWhenNoRequestRuns() throws Exception {
    try (JlamaEngine engine = JlamaEngine.open(model);
        Kvasir kvasir = Kvasir.open(configuration("gauges", false));
        KvConnector cache = kvasir.connect(engine.spec())) {
      int[] prompt = engine.encode(Prompts.document(1, SHARED));
      engine.generate(prompt, NEW_TOKENS, cache);
      engine.generate(prompt, NEW_TOKENS, cache);
      Deadline deadline = Deadline.after(Duration.ofSeconds(10));
      while (!cache.gauges().idle() && !deadline.expired()) {
        Thread.sleep(10); // the worker that delivered the last result is still putting things away
      }
      assertEquals(new Gauges(0, 0, 0, 0, 0, 0, 0), cache.gauges());
    }
  }

  @Test
  void missingModelEndsTheProcessWithItsName() {
    IOException failed =
        assertThrows(
            IOException.class, () -> ask(temporary.resolve("nowhere"), null, Prompts.QUESTION_A));
    assertTrue(failed.getMessage().contains("nowhere: not a directory"), failed.getMessage());
  }

  private static SegmentBlocks load(KvConnector cache, int[] prompt, Arena arena) {
    try (KvRequest request = cache.request(RequestScope.NONE, prompt)) {
      Deadline deadline = Deadline.after(Duration.ofSeconds(30));
      PrefixMatch match = request.lookup(deadline).await(deadline);
      long bytes = cache.namespace().format().payloadBytes(0);
      List<List<MemorySegment>> blocks = new ArrayList<>();
      for (int i = 0; i < match.tokens() / JlamaEngine.BLOCK_TOKENS; i++) {
        blocks.add(List.of(arena.allocate(bytes, 64)));
      }
      SegmentBlocks memory = SegmentBlocks.of(blocks);
      assertTrue(request.load(match, memory, deadline).await(deadline).complete());
      return memory;
    }
  }

  private static void save(KvConnector cache, int[] prompt, SegmentBlocks blocks) {
    try (KvRequest request = cache.request(RequestScope.NONE, prompt)) {
      Deadline deadline = Deadline.after(Duration.ofSeconds(30));
      assertTrue(request.save(blocks, Fence.none()).await(deadline).complete());
    }
  }

  private Generation ask(Path from, Path configuration, String question) throws Exception {
    return jvm.run(
        new DemoRequest(
            ++requests,
            from.toString(),
            configuration == null ? null : configuration.toString(),
            SHARED,
            question,
            NEW_TOKENS));
  }

  private Path configuration(String name, boolean legacy) throws IOException {
    Path store = Files.createDirectories(temporary.resolve(name));
    Map<String, Object> settings =
        Map.of(DemoStore.LOCAL.key(), DemoStore.LOCAL.settings(store, Map.of()));
    return DemoConfiguration.write(
        temporary.resolve(name + ".json"), PLUGINS, settings, "demo", legacy);
  }
}

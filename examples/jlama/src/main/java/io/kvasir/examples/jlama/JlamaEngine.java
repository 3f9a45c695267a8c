package io.kvasir.examples.jlama;

import com.github.tjake.jlama.model.AbstractModel;
import com.github.tjake.jlama.model.ModelSupport;
import com.github.tjake.jlama.safetensors.DType;
import com.github.tjake.jlama.safetensors.prompt.PromptContext;
import com.github.tjake.jlama.tensor.AbstractTensor;
import com.github.tjake.jlama.tensor.KvBufferCache;
import com.github.tjake.jlama.tensor.operations.TensorOperationsProvider;
import io.kvasir.api.Deadline;
import io.kvasir.api.EngineSpec;
import io.kvasir.api.Fence;
import io.kvasir.api.KvConnector;
import io.kvasir.api.KvRequest;
import io.kvasir.api.PrefixMatch;
import io.kvasir.api.SaveResult;
import io.kvasir.api.SegmentBlocks;
import io.kvasir.api.Transfer;
import io.kvasir.api.identity.RequestScope;
import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * A small engine over Jlama: one prompt at a time, greedy decoding, with or without a store.
 *
 * <p>With Jlama's native operations, a hit gives the same bits as a full prefill. Two things make
 * it so. Jlama computes a prompt in batches, and the size of a batch changes the last bits: so a
 * batch is a block ({@code -Djlama.max_batch_size=16}), and a prompt that goes on behind a hit is
 * cut where a full prefill would cut it. And only blocks of the prompt are saved whose tokens all
 * went through such batches; the last prompt token and decoded tokens go through Jlama one by one.
 *
 * <p>Not thread-safe.
 */
public final class JlamaEngine implements AutoCloseable {
  /** Tokens of a block, and of a batch of Jlama's. */
  public static final int BLOCK_TOKENS = 16;

  static final String BATCH_PROPERTY = "jlama.max_batch_size";

  private static final int JLAMA_BATCH = 256; // its own default

  /** Computing a long prompt takes seconds, too: waiting that long for its blocks is no loss. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final DType WORKING = DType.F32;
  private static final DType QUANTISED = DType.F32;

  private final Path directory;
  private final AbstractModel model;
  private final KvBufferCache kvCache;
  private int computedTokens;

  private JlamaEngine(Path directory, AbstractModel model) {
    this.directory = directory;
    this.model = model;
    this.kvCache = new KvBufferCache(model);
  }

  /**
   * Loads a model.
   *
   * @throws IllegalArgumentException if the directory holds no model that Jlama can load
   * @throws IllegalStateException if Jlama's batches are no blocks
   */
  public static JlamaEngine open(Path directory) throws IOException {
    if (batchSize() != BLOCK_TOKENS) {
      throw new IllegalStateException(
          "%s: %d; start the JVM with -D%s=%d, or a hit has other bits than a full prefill"
              .formatted(BATCH_PROPERTY, batchSize(), BATCH_PROPERTY, BLOCK_TOKENS));
    }
    ModelFiles.read(directory);
    try {
      return new JlamaEngine(
          directory, ModelSupport.loadModel(directory.toFile(), WORKING, QUANTISED));
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          "model %s: Jlama cannot load it (%s); use a model of a family that Jlama knows"
              .formatted(directory, e),
          e);
    }
  }

  /** Jlama reads the property once, when its classes are loaded. */
  static int batchSize() {
    return Integer.getInteger(BATCH_PROPERTY, JLAMA_BATCH);
  }

  /**
   * Whether Jlama gives the same bits each time. Its native operations do. Its Panama operations,
   * which it takes where {@code jlama-native} is missing, add up lanes with the Vector API, in an
   * order that changes when the JVM compiles the method: then not even two full prefills agree.
   */
  static boolean repeatsItsBits() {
    return TensorOperationsProvider.get().name().startsWith("Native SIMD");
  }

  /** What this engine tells Kvasir of itself. */
  public EngineSpec spec() {
    return spec(directory);
  }

  static EngineSpec spec(Path directory) {
    return EngineSpec.builder()
        .engine(JlamaFormatResolver.NAME)
        .model(directory)
        .blockTokens(BLOCK_TOKENS)
        .setting(JlamaFormatResolver.WORKING_DTYPE, WORKING.name())
        .setting(JlamaFormatResolver.QUANTISED_DTYPE, QUANTISED.name())
        .build();
  }

  /** The tokens of a text, the model's BOS first. */
  public int[] encode(String text) {
    return model.encodePrompt(PromptContext.of(text));
  }

  /** Computes the whole prompt, and decodes exactly {@code newTokens} tokens. */
  public Generation generate(int[] prompt, int newTokens) {
    try (Run run = new Run(prompt, newTokens)) {
      run.prefill(0);
      return run.decode(0);
    }
  }

  /**
   * Takes from the store what it has of the prompt, computes the rest, decodes exactly {@code
   * newTokens} tokens, and leaves the blocks of the prompt in the store.
   */
  public Generation generate(int[] prompt, int newTokens, KvConnector cache) {
    try (Run run = new Run(prompt, newTokens);
        KvRequest request = cache.request(RequestScope.NONE, prompt)) {
      SegmentBlocks memory = run.memory();
      Deadline deadline = Deadline.after(PATIENCE);
      PrefixMatch match = request.lookup(deadline).await(deadline);
      int found = match.tokens();
      if (found > 0) {
        found = request.load(match, memory, deadline).await(deadline).tokens();
      }
      run.prefill(found);
      Transfer<SaveResult> saving = request.save(memory, Fence.none());
      Generation generation = run.decode(found);
      saving.await(Deadline.never()); // ends by itself: connector.save-max-wait
      return generation;
    }
  }

  @Override
  public void close() {
    kvCache.close();
    model.close();
  }

  /** One prompt on its way through Jlama. */
  private final class Run implements AutoCloseable {
    private final long start = System.nanoTime();
    private final int[] prompt;
    private final int last;
    private final int newTokens;
    private final KvPages pages;
    private final AbstractTensor<?, ?> logits;
    private final MessageDigest digest = sha256();

    Run(int[] prompt, int newTokens) {
      if (prompt.length == 0 || newTokens < 1) {
        throw new IllegalArgumentException(
            "%d prompt tokens, %d new tokens: give at least one of each"
                .formatted(prompt.length, newTokens));
      }
      this.prompt = prompt;
      this.last = prompt.length - 1;
      this.newTokens = newTokens;
      this.pages = new KvPages(model, kvCache, BLOCK_TOKENS);
      this.pages.reserve(prompt.length + newTokens);
      this.logits = model.makeDenseTensor(model.getConfig().vocabularySize);
      computedTokens = 0;
    }

    /** The blocks of the prompt that full batches fill: those before its last token. */
    SegmentBlocks memory() {
      return SegmentBlocks.of(pages.blocks(last / BLOCK_TOKENS));
    }

    /** Computes the prompt from a position on, but for its last token. */
    void prefill(int from) {
      if (from < last) {
        int[] rest = Arrays.copyOfRange(prompt, from, last);
        computedTokens += rest.length;
        model.batchForward(rest, from, pages.buffer()).close();
      }
    }

    Generation decode(int hitTokens) {
      List<Integer> tokens = new ArrayList<>(newTokens);
      computedTokens++;
      tokens.add(step(prompt[last], last));
      double prefillMillis = (System.nanoTime() - start) / 1e6;
      while (tokens.size() < newTokens) {
        tokens.add(step(tokens.getLast(), last + tokens.size()));
      }
      String sha = HexFormat.of().formatHex(digest.digest());
      return new Generation(tokens, sha, hitTokens, computedTokens, prefillMillis);
    }

    private int step(int token, int position) {
      try (AbstractTensor<?, ?> hidden =
          model.forward(token, position, pages.buffer(), Optional.empty())) {
        int next = model.sample(hidden.slice(hidden.shape().first() - 1), 0f, 0f, logits);
        digest.update(logits.getMemorySegment().asByteBuffer());
        return next;
      }
    }

    @Override
    public void close() {
      logits.close();
      pages.close();
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

package io.kvasir.examples.jlama;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvasir.api.KvConnector;
import io.kvasir.api.Kvasir;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * One request to an engine that has just started; {@link #main} serves it.
 *
 * @param number of the request among all that may meet in one store
 * @param model directory of the model
 * @param configuration Kvasir's configuration, or null to run without a store
 * @param sharedTokens length of the document
 * @param question what follows the document
 * @param newTokens tokens to decode
 */
record DemoRequest(
    int number,
    String model,
    String configuration,
    int sharedTokens,
    String question,
    int newTokens) {
  private static final long DOCUMENT = 20261130;
  private static final long WARM_UP = 7;
  private static final int WARM_UP_TOKENS = 800;

  /** Reads the request from the first file and writes the {@link Generation} to the second. */
  public static void main(String[] arguments) throws IOException {
    ObjectMapper json = new ObjectMapper();
    DemoRequest request = json.readValue(Path.of(arguments[0]).toFile(), DemoRequest.class);
    Generation generation = request.serve();
    Files.writeString(Path.of(arguments[1]), json.writeValueAsString(generation));
    System.exit(0); // Jlama's threads would keep the JVM alive
  }

  private Generation serve() throws IOException {
    if (!JlamaEngine.repeatsItsBits()) {
      throw new IllegalStateException(
          "Jlama found no native operations for this machine, and without them its logits differ"
              + " from run to run; put jlama-native for this platform on the class path");
    }
    try (JlamaEngine engine = JlamaEngine.open(Path.of(model))) {
      int[] warmUp = warmUp(engine);
      if (configuration == null) {
        engine.generate(warmUp, newTokens);
        return engine.generate(prompt(engine), newTokens);
      }
      try (Kvasir kvasir = Kvasir.open(Path.of(configuration));
          KvConnector cache = kvasir.connect(engine.spec())) {
        engine.generate(warmUp, newTokens, cache);
        engine.generate(warmUp, newTokens, cache);
        return engine.generate(prompt(engine), newTokens, cache);
      }
    }
  }

  private int[] prompt(JlamaEngine engine) {
    int[] document = tokens(engine, "", DOCUMENT, sharedTokens);
    int[] asked = engine.encode(question); // begins with BOS, which the document has already
    int[] prompt = Arrays.copyOf(document, sharedTokens + asked.length - 1);
    System.arraycopy(asked, 1, prompt, sharedTokens, asked.length - 1);
    return prompt;
  }

  /**
   * A prompt that shares no block with another request: the first time it misses and is saved, the
   * second time it hits, so that the JVM has compiled both ways before the clock runs.
   */
  private int[] warmUp(JlamaEngine engine) {
    return tokens(engine, "Warm-up %d. ".formatted(number), WARM_UP, WARM_UP_TOKENS);
  }

  /** The first tokens of an endless text. */
  private static int[] tokens(JlamaEngine engine, String opening, long seed, int count) {
    for (int characters = 4 * count; ; characters *= 2) {
      int[] tokens = engine.encode(opening + Prompts.document(seed, characters));
      if (tokens.length >= count) {
        return Arrays.copyOf(tokens, count);
      }
    }
  }
}

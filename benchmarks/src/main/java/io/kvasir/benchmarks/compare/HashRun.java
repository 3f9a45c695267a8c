package io.kvasir.benchmarks.compare;

import io.kvasir.benchmarks.common.Chains;
import io.kvasir.conformance.speed.Median;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** G7: the chain hash of 64-token blocks, in turn with what two engines do in Python. */
final class HashRun {
  private static final int TOKENS = 64;
  private static final int BLOCKS = 2048;
  private static final int PYTHON_BLOCKS = 4096;
  private static final int REPEATS = 10;
  private static final int PASSES = 5;

  /**
   * Blocks a second and what they are by each other, as medians of rounds.
   *
   * @param blocksPerSecond of this project
   * @param vllm by how much that is faster; null without Python
   * @param sglang likewise
   * @param python its version
   */
  record Result(double blocksPerSecond, Double vllm, Double sglang, String python) {
    static Result of(String json) {
      return new JsonMapper().readValue(json, Result.class);
    }
  }

  private HashRun() {}

  /** Takes how many rounds, and prints the {@link Result} as JSON in the last line. */
  public static void main(String[] arguments) throws Exception {
    int rounds = Integer.parseInt(arguments[0]);
    Optional<Path> python = Tool.PYTHON.program();
    List<Double> ours = new ArrayList<>();
    List<Double> vllm = new ArrayList<>();
    List<Double> sglang = new ArrayList<>();
    String version = null;
    Chains chains = new Chains(4096, TOKENS);
    int[] prompt = chains.tokens(7, BLOCKS);
    for (int warm = 0; warm < 5; warm++) {
      blocksPerSecond(chains, prompt);
    }
    for (int r = 0; r < rounds; r++) {
      double before = blocksPerSecond(chains, prompt);
      JsonNode theirs = python.isPresent() ? python(python.get()) : null;
      double after = blocksPerSecond(chains, prompt);
      double mean = Math.sqrt(before * after);
      ours.add(mean);
      if (theirs != null) {
        vllm.add(mean / theirs.get("vllm").asDouble());
        sglang.add(mean / theirs.get("sglang").asDouble());
        version = theirs.get("python").asString();
      }
    }
    Result result =
        new Result(
            Median.of(ours).value(),
            vllm.isEmpty() ? null : Median.of(vllm).value(),
            sglang.isEmpty() ? null : Median.of(sglang).value(),
            version);
    System.out.println(new JsonMapper().writeValueAsString(result));
  }

  /** As the script does it: the median of some passes. */
  private static double blocksPerSecond(Chains chains, int[] prompt) {
    List<Double> rates = new ArrayList<>();
    for (int pass = 0; pass < PASSES; pass++) {
      long before = System.nanoTime();
      for (int i = 0; i < REPEATS; i++) {
        prompt[0] = i;
        chains.keys(prompt);
      }
      rates.add(REPEATS * BLOCKS / ((System.nanoTime() - before) / 1e9));
    }
    return Median.of(rates).value();
  }

  private static JsonNode python(Path program) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(program.toString(), "-", "" + PYTHON_BLOCKS, "" + TOKENS)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (var in = process.getOutputStream();
        var script = HashRun.class.getResourceAsStream("hash_chains.py")) {
      script.transferTo(in);
    }
    String out =
        new String(
            process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("hash_chains.py ended with " + process.exitValue());
    }
    return new JsonMapper().readTree(out);
  }
}

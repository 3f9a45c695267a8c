package io.kvasir.benchmarks.policies;

import io.kvasir.benchmarks.common.Scratch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Prints how much of a trace's prompts is found with each policy, at 10, 25 and 50 % of the working
 * set; {@code benchmarks/policies} starts it.
 */
public final class Policies {
  static final String USAGE =
      """
      usage: benchmarks/policies TRACE [--json]

        TRACE   a file with a JSON object a line, whose "hash_ids" are the blocks of a prompt
        --json  the last line is JSON
      """;
  private static final List<Double> SHARES = List.of(0.10, 0.25, 0.50);

  private Policies() {}

  /** Takes the arguments of {@link #USAGE}. */
  public static void main(String[] arguments) throws Exception {
    Locale.setDefault(Locale.ROOT);
    List<String> left = new ArrayList<>(List.of(arguments));
    boolean json = left.remove("--json");
    if (left.size() != 1 || left.getFirst().startsWith("-")) {
      System.err.print(USAGE);
      System.exit(left.equals(List.of("--help")) ? 0 : 2);
    }
    try {
      Trace trace = Trace.read(Path.of(left.getFirst()));
      Path folder = Path.of(System.getProperty("kvasir.benchmarks.directory", "target"));
      Replays replays = Replays.of(trace, SHARES, Scratch.in(folder, "policies-"));
      System.out.print(replays.text());
      if (json) {
        System.out.println(replays.json());
      }
    } catch (IOException | IllegalArgumentException e) {
      System.err.println("policies: " + e.getMessage());
      System.exit(2);
    }
  }
}

package io.kvasir.benchmarks;

import java.nio.file.Path;
import java.util.List;

/** The command line of {@code benchmarks/compare}. */
record CompareOptions(boolean quick, boolean json, Path directory, List<String> only) {
  static final String USAGE =
      """
      usage: benchmarks/compare [--quick] [--json] [--dir DIR] [--only PEER,...]

        --quick          fewer rounds: ends within three minutes
        --json           the last line is JSON
        --dir DIR        measure the disk of this folder; what is made there is deleted again
        --only PEER,...  of the peers, only these: local
      """;

  static CompareOptions parse(List<String> arguments) {
    boolean quick = false;
    boolean json = false;
    Path directory = Path.of(System.getProperty("kvasir.benchmarks.directory", "target/compare"));
    List<String> only = List.of("local");
    for (int i = 0; i < arguments.size(); i++) {
      switch (arguments.get(i)) {
        case "--quick" -> quick = true;
        case "--json" -> json = true;
        case "--dir" -> directory = Path.of(value(arguments, i++));
        case "--only" -> only = List.of(value(arguments, i++).split(","));
        default ->
            throw new IllegalArgumentException(
                "unknown argument \"%s\"%n%s".formatted(arguments.get(i), USAGE));
      }
    }
    return new CompareOptions(quick, json, directory, only);
  }

  private static String value(List<String> arguments, int option) {
    if (option + 1 == arguments.size()) {
      throw new IllegalArgumentException(
          "%s wants a value%n%s".formatted(arguments.get(option), USAGE));
    }
    return arguments.get(option + 1);
  }
}

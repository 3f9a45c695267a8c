package io.kvasir.benchmarks.compare;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The command line of {@code benchmarks/compare}.
 *
 * @param quick fewer and smaller rounds
 * @param json the last line is JSON
 * @param directory on the disk to measure
 * @param only the stores to measure; no goals then but those that they decide
 */
record CompareOptions(boolean quick, boolean json, Path directory, List<PeerKind> only) {
  static final String USAGE =
      """
      usage: benchmarks/compare [--quick] [--json] [--dir DIR] [--only STORE,...]

        --quick           fewer and smaller rounds: ends within three minutes, says which goals hold
        --json            the last line is JSON
        --dir DIR         measure the disk of this folder; what is made there is deleted again
        --only STORE,...  only these: local, rocksdb-wal, rocksdb, lmdb, lmdb-sync, files, files-direct, redis
      """;

  static CompareOptions parse(List<String> arguments) {
    boolean quick = false;
    boolean json = false;
    Path directory = Path.of(System.getProperty("kvasir.benchmarks.directory", "target/compare"));
    List<PeerKind> only = List.of();
    for (int i = 0; i < arguments.size(); i++) {
      switch (arguments.get(i)) {
        case "--quick" -> quick = true;
        case "--json" -> json = true;
        case "--dir" -> directory = Path.of(value(arguments, i++));
        case "--only" ->
            only = Arrays.stream(value(arguments, i++).split(",")).map(PeerKind::named).toList();
        default ->
            throw new IllegalArgumentException(
                "unknown argument \"%s\"%n%s".formatted(arguments.get(i), USAGE));
      }
    }
    return new CompareOptions(quick, json, directory.toAbsolutePath(), only);
  }

  private static String value(List<String> arguments, int option) {
    if (option + 1 == arguments.size()) {
      throw new IllegalArgumentException(
          "%s wants a value%n%s".formatted(arguments.get(option), USAGE));
    }
    return arguments.get(option + 1);
  }

  /** {@return the stores to measure, the project's own first} */
  List<PeerKind> peers() {
    return !only.isEmpty() ? only : quick ? PeerKind.quick() : List.of(PeerKind.values());
  }

  /** {@return whether everything is measured} */
  boolean all() {
    return only.isEmpty();
  }
}

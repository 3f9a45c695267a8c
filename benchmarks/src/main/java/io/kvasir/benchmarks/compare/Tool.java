package io.kvasir.benchmarks.compare;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A program from outside of Java. {@code start.sh} finds it on the machine or unpacks it from
 * Debian's packages, and names it by system properties.
 */
enum Tool {
  FIO("fio"),
  REDIS("redis-server"),
  PYTHON("python3");

  private final String binary;

  Tool(String binary) {
    this.binary = binary;
  }

  /** {@return the program; empty if the machine has none} */
  Optional<Path> program() {
    String named = System.getProperty("kvasir.benchmarks." + binary, "");
    return named.isEmpty() ? onPath() : Optional.of(Path.of(named)).filter(Files::isExecutable);
  }

  private Optional<Path> onPath() {
    for (String folder : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
      Path program = Path.of(folder, binary);
      if (!folder.isEmpty() && Files.isExecutable(program)) {
        return Optional.of(program);
      }
    }
    return Optional.empty();
  }

  /** {@return what names the program to another JVM} */
  List<String> properties() {
    String name = "kvasir.benchmarks." + binary;
    String named = System.getProperty(name);
    return named == null ? List.of() : List.of("-D%s=%s".formatted(name, named));
  }

  /** {@return why there is none, and the way out} */
  String missing() {
    return "no %s on the PATH and none of Debian's packages could be unpacked; install it (apt install %s)"
        .formatted(binary, binary);
  }
}

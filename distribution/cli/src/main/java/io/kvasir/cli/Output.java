package io.kvasir.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Where a command prints: lines for people, or one JSON value.
 *
 * @param out standard output
 * @param err standard error
 * @param json whether JSON is asked for
 */
record Output(PrintWriter out, PrintWriter err, boolean json) {
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  /** {@return the output of a command line that failed, of which options may be unread} */
  static Output of(CommandLine line) {
    List<String> arguments = line.getParseResult().originalArgs();
    return new Output(line.getOut(), line.getErr(), arguments.contains("--json"));
  }

  /** Prints a line for people. */
  void line(String text) {
    if (!json) {
      out.println(text);
    }
  }

  /** Prints the value, if JSON is asked for. */
  void value(Object value) {
    if (json) {
      out.println(MAPPER.writeValueAsString(value));
    }
  }

  /** Prints a table for people: columns as wide as they need to be. */
  void table(List<List<String>> rows) {
    List<Integer> widths = new ArrayList<>();
    for (List<String> row : rows) {
      for (int i = 0; i < row.size(); i++) {
        if (i == widths.size()) {
          widths.add(0);
        }
        widths.set(i, Math.max(widths.get(i), row.get(i).length()));
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.size(); i++) {
        line.append(row.get(i)).repeat(" ", widths.get(i) - row.get(i).length() + 2);
      }
      line(line.toString().stripTrailing());
    }
  }

  /** Says what is wrong, on standard error, and as JSON too where that is asked for. */
  int error(String message, int exitCode) {
    err.println("kvasir: " + message);
    value(Map.of("error", message));
    return exitCode;
  }
}

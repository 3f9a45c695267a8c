package io.kvasir.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.PrettyPrinter;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.DefaultPrettyPrinter;

/**
 * Where a command prints: lines for people, or one JSON value.
 *
 * @param out standard output
 * @param err standard error
 * @param json whether JSON is asked for
 */
record Output(PrintWriter out, PrintWriter err, boolean json) {
  private static final JsonFactory JSON = new JsonFactory();
  private static final ObjectWriteContext INDENTED =
      new ObjectWriteContext.Base() {
        @Override
        public PrettyPrinter getPrettyPrinter() {
          return new DefaultPrettyPrinter();
        }

        @Override
        public boolean hasPrettyPrinter() {
          return true;
        }
      };

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

  /**
   * Prints the value, if JSON is asked for.
   *
   * @param value of maps, lists, texts, numbers, truth values and null; so no class has to be
   *     looked at before it is written, which would take longer than most commands
   */
  void value(Object value) {
    if (!json) {
      return;
    }
    StringWriter text = new StringWriter();
    try (JsonGenerator generator = JSON.createGenerator(INDENTED, text)) {
      write(value, generator);
    }
    out.println(text);
  }

  @SuppressWarnings("IfChainToSwitch") // for one over types the JVM makes code as it starts
  private static void write(Object value, JsonGenerator to) {
    if (value instanceof Map<?, ?> map) {
      to.writeStartObject();
      map.forEach((name, each) -> write(each, to.writeName((String) name)));
      to.writeEndObject();
    } else if (value instanceof Collection<?> list) {
      to.writeStartArray();
      list.forEach(each -> write(each, to));
      to.writeEndArray();
    } else if (value instanceof String text) {
      to.writeString(text);
    } else if (value instanceof Boolean flag) {
      to.writeBoolean(flag);
    } else if (value instanceof BigDecimal number) {
      to.writeNumber(number);
    } else if (value instanceof Double number) {
      to.writeNumber(number);
    } else if (value instanceof Long || value instanceof Integer) {
      to.writeNumber(((Number) value).longValue());
    } else if (value == null) {
      to.writeNull();
    } else {
      throw new IllegalArgumentException(value.getClass() + " is not written as JSON");
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

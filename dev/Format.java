import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.StringWrapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Checks or sets the format of every Java source under a folder: {@code java -cp
 * google-java-format.jar dev/Format.java check|write FOLDER}. The Maven build runs it once per
 * build.
 */
final class Format {
  private static final Set<String> SKIPPED = Set.of("target", "node_modules", "shared");

  private final Path root;
  private final boolean write;

  private Format(Path root, boolean write) {
    this.root = root;
    this.write = write;
  }

  public static void main(String[] args) throws IOException {
    if (args.length != 2 || !Set.of("check", "write").contains(args[0])) {
      System.err.println("format: \"" + String.join(" ", args) + "\" is not: check|write FOLDER");
      System.exit(2);
    }
    boolean write = args[0].equals("write");
    Format format = new Format(Path.of(args[1]), write);
    List<String> findings =
        sources(format.root).parallelStream().flatMap(format::findings).sorted().toList();
    findings.forEach(System.err::println);
    if (!findings.isEmpty() && !write) {
      System.err.println("format: mvn -q -N process-sources -Dformat=write formats all sources");
      System.exit(1);
    }
  }

  private static List<Path> sources(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries
          .sorted(Comparator.naturalOrder())
          .flatMap(
              entry -> {
                if (Files.isDirectory(entry)) {
                  return isSkipped(entry) ? Stream.empty() : within(entry).stream();
                }
                return entry.toString().endsWith(".java") ? Stream.of(entry) : Stream.empty();
              })
          .toList();
    }
  }

  private static List<Path> within(Path folder) {
    try {
      return sources(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isSkipped(Path folder) {
    String name = folder.getFileName().toString();
    return Files.isSymbolicLink(folder) || name.startsWith(".") || SKIPPED.contains(name);
  }

  private Stream<String> findings(Path source) {
    try {
      String text = Files.readString(source);
      String wanted = format(text);
      if (wanted.equals(text)) {
        return Stream.empty();
      }
      if (write) {
        Files.writeString(source, wanted);
      }
      return Stream.of(root.relativize(source) + (write ? ": formatted" : ": is not formatted"));
    } catch (FormatterException e) {
      return Stream.of(root.relativize(source) + ": " + e.getMessage());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Formats twice: a trailing comment that the first pass wraps settles in the second. */
  private static String format(String text) throws FormatterException {
    return once(once(text));
  }

  private static String once(String text) throws FormatterException {
    Formatter formatter = new Formatter(JavaFormatterOptions.defaultOptions());
    return StringWrapper.wrap(formatter.formatSourceAndFixImports(text), formatter);
  }
}

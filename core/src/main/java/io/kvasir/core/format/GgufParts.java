package io.kvasir.core.format;

import io.kvasir.api.format.FormatException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of a model that llama.cpp's {@code gguf-split} cut: {@code NAME-00001-of-00003.gguf}
 * and the others, of which the first alone has the model's header.
 */
final class GgufParts {
  private static final Pattern PART = Pattern.compile("(.*)-[0-9]{5}-of-([0-9]{5})\\.gguf");

  private GgufParts() {}

  /** {@return the GGUF file that a path is, or that of a directory: of a split model the first} */
  static Path header(Path model) {
    if (!Files.isDirectory(model)) {
      return model;
    }
    try (Stream<Path> list = Files.list(model)) {
      List<Path> found = list.filter(f -> f.toString().endsWith(".gguf")).toList();
      List<Path> firsts = found.stream().map(GgufParts::first).distinct().toList();
      if (firsts.size() != 1) {
        throw new FormatException(
            "%s: has %d files *.gguf; give the file, of a split model the first"
                .formatted(model, found.size()));
      }
      if (!Files.exists(firsts.getFirst())) {
        throw new FormatException(
            firsts.getFirst() + ": missing; it has the header of the parts that are beside it");
      }
      return firsts.getFirst();
    } catch (IOException e) {
      throw new FormatException("%s: cannot be read: %s".formatted(model, e), e);
    }
  }

  /**
   * {@return what the header of a file says}
   *
   * @throws FormatException that names the first part, if the file is a later one
   */
  static Map<String, Object> read(Path file) {
    Map<String, Object> values = GgufHeader.read(file).values();
    Object part = values.getOrDefault("split.no", 0L);
    if (!part.equals(0L)) {
      Path first = first(file);
      throw new FormatException(
          "%s: split.no: %s, a later part of a split model, without its header; give %s"
              .formatted(file, Fields.show(part), first.equals(file) ? "its first part" : first));
    }
    return values;
  }

  private static Path first(Path file) {
    Matcher part = PART.matcher(file.getFileName().toString());
    return part.matches()
        ? file.resolveSibling("%s-00001-of-%s.gguf".formatted(part.group(1), part.group(2)))
        : file;
  }
}

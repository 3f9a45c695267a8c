package io.kvasir.core.config;

import io.kvasir.api.KvasirException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Reads a configuration file: JSON without comments, each name once, nothing behind the end. */
public final class ConfigFile {
  private static final JsonMapper STRICT =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  private ConfigFile() {}

  /**
   * {@return the root object of a file; relative paths in it start at the file's directory}
   *
   * @throws KvasirException if the file cannot be read or is not one JSON object
   */
  public static Section read(Path file) {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw new KvasirException(file + ": there is no such file", e);
    } catch (IOException e) {
      throw new KvasirException(file + ": cannot be read: " + e, e);
    }
    return parse(file, bytes);
  }

  static Section parse(Path file, byte[] bytes) {
    Object json;
    try {
      json = STRICT.readValue(bytes, Object.class);
    } catch (JacksonException e) {
      TokenStreamLocation at = e.getLocation();
      String where =
          at == null || at.getLineNr() < 1
              ? ""
              : " line %d, column %d:".formatted(at.getLineNr(), at.getColumnNr());
      throw new KvasirException(
          "%s:%s %s; the file is one JSON object".formatted(file, where, reason(e)), e);
    }
    Path directory = file.toAbsolutePath().normalize().getParent();
    return new ConfigValue(file.toString(), directory, "", json).section();
  }

  /** {@return what the parser says, in one line, without a source that it does not know} */
  public static String reason(JacksonException e) {
    return e.getOriginalMessage()
        .lines()
        .findFirst()
        .orElse("")
        .replaceAll(" \\(start marker at \\[Source:[^]]*]\\)", "");
  }
}

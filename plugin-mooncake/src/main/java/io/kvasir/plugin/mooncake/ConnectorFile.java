package io.kvasir.plugin.mooncake;

import io.kvasir.api.store.StoreException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * A {@code mooncake.json} as the Python connectors of vLLM, SGLang and LMCache read it. Names that
 * it holds for others are left alone: the file is theirs.
 */
final class ConnectorFile {
  /** The variable that the Python connectors read. */
  static final String VARIABLE = "MOONCAKE_CONFIG_PATH";

  private static final Pattern SIZE =
      Pattern.compile("([0-9]+(?:\\.[0-9]+)?)\\s*(gb|mb|kb|b|)", Pattern.CASE_INSENSITIVE);

  private final String source;
  private final Map<String, String> values;

  private ConnectorFile(String source, Map<String, String> values) {
    this.source = source;
    this.values = values;
  }

  /**
   * {@return the file that the setting or else the variable names; an empty one if neither does}
   */
  static ConnectorFile of(Optional<Path> configured, Map<String, String> environment)
      throws StoreException {
    String variable = environment.getOrDefault(VARIABLE, "");
    if (configured.isPresent()) {
      return read("connector-file", configured.get());
    }
    return variable.isBlank()
        ? new ConnectorFile("", Map.of())
        : read(VARIABLE, Path.of(variable).toAbsolutePath());
  }

  private static ConnectorFile read(String origin, Path file) throws StoreException {
    String source = "%s: \"%s\"".formatted(origin, file);
    try {
      return new ConnectorFile(source, parse(Files.readAllBytes(file)));
    } catch (java.io.IOException e) {
      throw error(source, "cannot be read (%s); name a file that this user can read".formatted(e));
    } catch (JacksonException e) {
      throw error(
          source,
          "is not a JSON object: %s; write it as the Python connectors want it"
              .formatted(e.getOriginalMessage()));
    }
  }

  /** {@return the scalars of the object; what is nested is left out} */
  private static Map<String, String> parse(byte[] json) {
    Map<String, String> values = new HashMap<>();
    try (JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), json)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new tools.jackson.core.exc.StreamReadException(parser, "it begins with no {");
      }
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        String name = parser.currentName();
        if (parser.nextToken().isScalarValue() && !parser.hasToken(JsonToken.VALUE_NULL)) {
          values.put(name, parser.getString());
        } else {
          parser.skipChildren();
        }
      }
    }
    return values;
  }

  Optional<String> text(String name) {
    return Optional.ofNullable(values.get(name)).filter(v -> !v.isBlank());
  }

  /** {@return a size: a number of bytes, or one with gb, mb, kb or b, by powers of 1,024} */
  Optional<Long> size(String name) throws StoreException {
    String text = values.get(name);
    if (text == null) {
      return Optional.empty();
    }
    Matcher size = SIZE.matcher(text.strip());
    if (!size.matches()) {
      throw error(
          source,
          "%s: \"%s\" is not a size; write a number of bytes or one such as 16gb, 512mb"
              .formatted(name, text));
    }
    int shift =
        switch (size.group(2).toLowerCase(Locale.ROOT)) {
          case "gb" -> 30;
          case "mb" -> 20;
          case "kb" -> 10;
          default -> 0;
        };
    return Optional.of(
        new BigDecimal(size.group(1))
            .multiply(BigDecimal.valueOf(1L << shift))
            .setScale(0, RoundingMode.DOWN)
            .longValue());
  }

  /** {@return where a value came from, for an error} */
  String source() {
    return source;
  }

  private static StoreException error(String source, String what) {
    return new StoreException(StoreException.Kind.CONFIGURATION, source + " " + what);
  }
}

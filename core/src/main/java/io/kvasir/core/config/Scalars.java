package io.kvasir.core.config;

import io.kvasir.api.ByteSize;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Values that stand in a file as one word or number. */
final class Scalars {
  private static final Pattern DURATION = Pattern.compile("([0-9]{1,9}) ?(ms|s|m|h|d)");

  private Scalars() {}

  /** {@return what to write for a type; nothing if the type is not one of these} */
  static Optional<String> wayOut(Class<?> type) {
    if (type.isEnum()) {
      return Optional.of("write one of " + String.join(", ", constants(type)));
    }
    return Optional.ofNullable(
        switch (type.getName()) {
          case "java.lang.String" -> "write a text in quotes";
          case "int", "java.lang.Integer", "long", "java.lang.Long" ->
              "write a whole number such as 16";
          case "double", "java.lang.Double" -> "write a number such as 0.5";
          case "boolean", "java.lang.Boolean" -> "write true or false, without quotes";
          case "java.nio.file.Path" -> "write a path in quotes";
          case "java.time.Duration" -> "write 500ms, 2s or 1m";
          case "io.kvasir.api.ByteSize" -> "write a number of bytes or 10GiB";
          default -> null;
        });
  }

  /** {@return whether such a value stands in quotes} */
  static boolean quoted(Class<?> type) {
    return type.isEnum()
        || List.of(String.class, Path.class, Duration.class, ByteSize.class).contains(type);
  }

  /** {@return the value as this type} */
  static Object read(ConfigValue value, Class<?> type) {
    String way = wayOut(type).orElseThrow();
    if (type.isEnum()) {
      return constant(value, type, way);
    }
    return switch (type.getName()) {
      case "java.lang.String" -> string(value, way);
      case "int", "java.lang.Integer" ->
          (int) whole(value, way, Integer.MIN_VALUE, Integer.MAX_VALUE);
      case "long", "java.lang.Long" -> whole(value, way, Long.MIN_VALUE, Long.MAX_VALUE);
      case "double", "java.lang.Double" -> real(value, way);
      case "boolean", "java.lang.Boolean" -> truth(value, way);
      case "java.nio.file.Path" -> path(value, way);
      case "java.time.Duration" -> duration(value, way);
      default -> size(value, way);
    };
  }

  private static String string(ConfigValue value, String way) {
    if (value.json() instanceof String s) {
      return s;
    }
    throw value.isNot("a text", way);
  }

  private static long whole(ConfigValue value, String way, long least, long most) {
    if (!(value.json() instanceof Integer
        || value.json() instanceof Long
        || value.json() instanceof BigInteger)) {
      throw value.isNot("a whole number", way);
    }
    BigInteger number = new BigInteger(value.json().toString());
    if (number.compareTo(BigInteger.valueOf(least)) < 0
        || number.compareTo(BigInteger.valueOf(most)) > 0) {
      throw value.error(
          "%s is out of range; write a number from %d to %d".formatted(number, least, most));
    }
    return number.longValueExact();
  }

  private static double real(ConfigValue value, String way) {
    if (value.json() instanceof Number n) {
      double number = new BigDecimal(n.toString()).doubleValue();
      if (Double.isFinite(number)) {
        return number;
      }
    }
    throw value.isNot("a number", way);
  }

  private static boolean truth(ConfigValue value, String way) {
    if (value.json() instanceof Boolean b) {
      return b;
    }
    throw value.error("%s is neither true nor false; %s".formatted(value.shown(), way));
  }

  private static Path path(ConfigValue value, String way) {
    try {
      if (value.json() instanceof String s && !s.isBlank()) {
        return value.directory().resolve(s).normalize();
      }
    } catch (InvalidPathException e) {
      throw value.error("%s is not a path; %s".formatted(value.shown(), way), e);
    }
    throw value.isNot("a path", way);
  }

  private static Duration duration(ConfigValue value, String way) {
    Matcher m = DURATION.matcher(value.json() instanceof String s ? s : "");
    if (!m.matches()) {
      throw value.isNot("a duration", way);
    }
    long number = Long.parseLong(m.group(1));
    return switch (m.group(2)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      default -> Duration.ofDays(number);
    };
  }

  private static ByteSize size(ConfigValue value, String way) {
    String text =
        value.json() instanceof Integer || value.json() instanceof Long
            ? value.json().toString()
            : value.json() instanceof String s ? s : "";
    try {
      return ByteSize.parse(text);
    } catch (IllegalArgumentException e) {
      throw value.error("%s is not a size; %s".formatted(value.shown(), way), e);
    }
  }

  private static Object constant(ConfigValue value, Class<?> type, String way) {
    for (Object constant : type.getEnumConstants()) {
      if (name((Enum<?>) constant).equals(value.json())) {
        return constant;
      }
    }
    throw value.error("%s is none of the choices; %s".formatted(value.shown(), way));
  }

  private static List<String> constants(Class<?> type) {
    return Arrays.stream(type.getEnumConstants()).map(c -> name((Enum<?>) c)).toList();
  }

  private static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

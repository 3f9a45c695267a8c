package io.kvasir.api.identity;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes a value in the canonical form of RFC 8785: names sorted by UTF-16 unit, numbers as
 * ECMAScript prints them, no white space.
 *
 * <p>Values are {@code null}, {@link Boolean}, {@link Number}, {@link String}, {@link List} and
 * {@link Map} with {@code String} names. What two writers could print differently is refused with
 * an {@link IdentityException}: integers beyond ±(2⁵³−1) however they are written, non-finite
 * numbers, lone surrogates (which Java would silently replace) and U+0000.
 */
public final class CanonicalJson {
  private static final BigDecimal LARGEST = BigDecimal.valueOf((1L << 53) - 1);

  private CanonicalJson() {}

  /** {@return the canonical text of a value, as UTF-8} */
  public static byte[] bytes(Object value) {
    return text(value).getBytes(StandardCharsets.UTF_8);
  }

  /** {@return the canonical text of a value} */
  public static String text(Object value) {
    StringBuilder out = new StringBuilder(256);
    write(value, out);
    return out.toString();
  }

  @SuppressWarnings("IfChainToSwitch") // for one over types the JVM makes code as it starts
  private static void write(Object value, StringBuilder out) {
    if (value == null) {
      out.append("null");
    } else if (value instanceof Boolean b) {
      out.append(b.booleanValue());
    } else if (value instanceof String s) {
      writeString(s, out);
    } else if (value instanceof Number n) {
      out.append(number(n));
    } else if (value instanceof List<?> list) {
      writeList(list, out);
    } else if (value instanceof Map<?, ?> map) {
      writeMap(map, out);
    } else {
      throw new IdentityException("not a JSON value: an instance of " + value.getClass());
    }
  }

  private static void writeList(List<?> list, StringBuilder out) {
    out.append('[');
    for (int i = 0; i < list.size(); i++) {
      if (i > 0) {
        out.append(',');
      }
      write(list.get(i), out);
    }
    out.append(']');
  }

  private static void writeMap(Map<?, ?> map, StringBuilder out) {
    TreeMap<String, Object> sorted = new TreeMap<>(); // String order is the order of UTF-16 units
    map.forEach((name, value) -> sorted.put(name(name), value));
    out.append('{');
    boolean first = true;
    for (Map.Entry<String, Object> e : sorted.entrySet()) {
      if (!first) {
        out.append(',');
      }
      first = false;
      writeString(e.getKey(), out);
      out.append(':');
      write(e.getValue(), out);
    }
    out.append('}');
  }

  private static String name(Object name) {
    if (name instanceof String s) {
      return s;
    }
    throw new IdentityException("not a name of a JSON object: " + name);
  }

  private static void writeString(String s, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\b' -> out.append("\\b");
        case '\t' -> out.append("\\t");
        case '\n' -> out.append("\\n");
        case '\f' -> out.append("\\f");
        case '\r' -> out.append("\\r");
        case 0 -> throw new IdentityException("U+0000 in a string: index " + i);
        default -> {
          if (c < 0x20) {
            out.append("\\u00").append(Character.forDigit(c >> 4, 16));
            out.append(Character.forDigit(c & 15, 16));
          } else if (Character.isHighSurrogate(c)
              && i + 1 < s.length()
              && Character.isLowSurrogate(s.charAt(i + 1))) {
            out.append(c).append(s.charAt(++i));
          } else if (Character.isSurrogate(c)) {
            throw new IdentityException(
                "lone surrogate U+%04X in a string: index %d".formatted((int) c, i));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }

  private static String number(Number n) {
    if (n instanceof Integer || n instanceof Short || n instanceof Byte) {
      return Integer.toString(n.intValue());
    }
    if (n instanceof Long l) {
      return integer(BigDecimal.valueOf(l));
    }
    if (n instanceof BigInteger i) {
      return integer(new BigDecimal(i));
    }
    return n instanceof BigDecimal d ? decimal(d) : binary64(n.doubleValue());
  }

  private static String integer(BigDecimal value) {
    if (value.abs().compareTo(LARGEST) > 0) {
      throw new IdentityException("integer out of range ±(2^53-1): " + value.toPlainString());
    }
    return value.toPlainString();
  }

  private static String decimal(BigDecimal value) {
    if (value.signum() != 0
        && value.precision() - (long) value.scale() > 400) { // never expand what no double can hold
      throw new IdentityException("number out of range: " + value);
    }
    return binary64(value.doubleValue());
  }

  /** ECMAScript Number::toString of a finite binary64, as RFC 8785 section 3.2.2.3 asks for. */
  private static String binary64(double value) {
    if (!Double.isFinite(value)) {
      throw new IdentityException("not a JSON number: " + value);
    }
    if (value == 0) {
      return "0";
    }
    if (value == Math.rint(value) && Math.abs(value) > LARGEST.doubleValue()) {
      throw new IdentityException("integer out of range ±(2^53-1): " + value);
    }
    BigDecimal shortest = shortest(Math.abs(value));
    String digits = shortest.unscaledValue().toString();
    int point = digits.length() - shortest.scale(); // decimal point, counted from the first digit
    StringBuilder out = new StringBuilder(24);
    if (value < 0) {
      out.append('-');
    }
    if (digits.length() <= point && point <= 21) {
      return out.append(digits).repeat("0", point - digits.length()).toString();
    }
    if (0 < point && point <= 21) {
      return out.append(digits, 0, point).append('.').append(digits.substring(point)).toString();
    }
    if (-6 < point && point <= 0) {
      return out.append("0.").repeat("0", -point).append(digits).toString();
    }
    out.append(digits.charAt(0));
    if (digits.length() > 1) {
      out.append('.').append(digits.substring(1));
    }
    int exponent = point - 1;
    return out.append('e').append(exponent > 0 ? "+" : "-").append(Math.abs(exponent)).toString();
  }

  /** Double.toString is the shortest since JDK 19, except that it never prints a single digit. */
  private static BigDecimal shortest(double value) {
    BigDecimal two = new BigDecimal(Double.toString(value)).stripTrailingZeros();
    if (two.precision() == 2) {
      BigDecimal one = new BigDecimal(value).round(new MathContext(1, RoundingMode.HALF_EVEN));
      if (one.doubleValue() == value) {
        return one.stripTrailingZeros();
      }
    }
    return two;
  }
}

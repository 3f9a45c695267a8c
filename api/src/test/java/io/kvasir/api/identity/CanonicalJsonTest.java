package io.kvasir.api.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class CanonicalJsonTest {
  @Property(tries = 10_000)
  void everyDoubleIsPrintedAsEcmaScriptPrintsIt(@ForAll long bits) {
    check(Double.longBitsToDouble(bits));
  }

  @Property(tries = 5_000)
  void everyPowerOfTwoAndItsNeighboursToo(@ForAll int exponent, @ForAll byte ulps) {
    check(Double.longBitsToDouble(((long) Math.floorMod(exponent, 2047) << 52) + ulps));
  }

  @Property(tries = 2_000)
  void everyShortDecimalToo(@ForAll int digits, @ForAll byte exponent) {
    check(new BigDecimal(BigInteger.valueOf(digits), exponent).doubleValue());
  }

  @Example
  void theSmallestNumbersToo() {
    for (long bits = 1; bits < 5_000; bits++) {
      check(Double.longBitsToDouble(bits));
    }
    assertEquals("5e-324", CanonicalJson.text(Double.MIN_VALUE));
    assertEquals("2.2250738585072014e-308", CanonicalJson.text(Double.MIN_NORMAL));
    assertEquals("5.684341886080802e-14", CanonicalJson.text(Math.pow(2, -44)));
    assertEquals("140737488355327.88", CanonicalJson.text(1125899906842623.0 / 8)); // a tie
    assertEquals("9007199254740991", CanonicalJson.text(9007199254740991.0));
    assertEquals("-1e-7", CanonicalJson.text(-1e-7));
    assertEquals("0.000001", CanonicalJson.text(1e-6));
    assertEquals("0", CanonicalJson.text(-0.0));
  }

  private static void check(double value) {
    if (Double.isFinite(value)
        && !(value == Math.rint(value) && Math.abs(value) > 9007199254740991.0)) {
      String text = CanonicalJson.text(value);
      assertEquals(oracle(value), text);
      assertEquals(value == 0 ? 0.0 : value, Double.parseDouble(text));
      assertEquals(text, CanonicalJson.text(new BigDecimal(value)), "the exact value");
    }
  }

  /** Section 6.1.6.1.20 of ECMA-262 by search over exact decimals, without Double.toString. */
  private static String oracle(double value) {
    if (value == 0) {
      return "0";
    }
    BigDecimal exact = new BigDecimal(Math.abs(value));
    for (int digits = 1; ; digits++) {
      BigDecimal below = exact.round(new MathContext(digits, RoundingMode.DOWN));
      BigDecimal above = exact.round(new MathContext(digits, RoundingMode.UP));
      boolean down = below.doubleValue() == Math.abs(value);
      boolean up = above.doubleValue() == Math.abs(value);
      if (down || up) {
        int nearer = exact.subtract(below).compareTo(above.subtract(exact));
        boolean nearerBelow =
            nearer < 0 || (nearer == 0 && !below.unscaledValue().testBit(0)); // a tie: the even one
        BigDecimal best = down && (!up || nearerBelow) ? below : above;
        return (value < 0 ? "-" : "") + notation(best.stripTrailingZeros());
      }
    }
  }

  private static String notation(BigDecimal value) {
    int exponent = value.precision() - value.scale() - 1;
    if (exponent >= -6 && exponent < 21) {
      return value.toPlainString();
    }
    String digits = value.unscaledValue().toString();
    return digits.charAt(0)
        + (digits.length() == 1 ? "" : "." + digits.substring(1))
        + (exponent < 0 ? "e-" : "e+")
        + Math.abs(exponent);
  }

  @Property
  void integersAreTheSameInEveryType(@ForAll int value) {
    String text = Integer.toString(value);
    assertEquals(text, CanonicalJson.text(value));
    assertEquals(text, CanonicalJson.text((long) value));
    assertEquals(text, CanonicalJson.text((double) value));
    assertEquals(text, CanonicalJson.text(BigInteger.valueOf(value)));
    assertEquals(text, CanonicalJson.text(new BigDecimal(value).setScale(3)));
    assertEquals(
        text, CanonicalJson.text(new BigDecimal(value).movePointRight(-5).movePointRight(5)));
  }

  @Example
  void namesAreSortedByUtf16UnitAndNotByCodePoint() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("\uFB33", 1); // a code point below U+1F600, whose first unit is smaller
    map.put("\uD83D\uDE00", 2);
    map.put("b", 3);
    map.put("a", 4);
    assertEquals("{\"a\":4,\"b\":3,\"\uD83D\uDE00\":2,\"\uFB33\":1}", CanonicalJson.text(map));
  }

  @Example
  void onlyWhatMustBeEscapedIs() {
    assertEquals(
        "\"\\b\\t\\n\\f\\r\\\"\\\\/\\u0001\\u001f\u007f\u20ac\u2028\"",
        CanonicalJson.text("\b\t\n\f\r\"\\/\u0001\u001f\u007f\u20ac\u2028"));
    assertEquals(
        "\u20ac\uD83D\uDE00",
        new String(CanonicalJson.bytes("\u20ac\uD83D\uDE00"), StandardCharsets.UTF_8)
            .replace("\"", ""));
  }

  @Example
  void aZeroWithAnyExponentIsZero() {
    assertEquals("0", CanonicalJson.text(new BigDecimal("0e999999999")));
    assertEquals("0", CanonicalJson.text(new BigDecimal("-0e-999999999")));
    assertEquals("0", CanonicalJson.text(new BigDecimal("1e-999999999")));
  }

  @Example
  void whatHasNoOneFormIsRefused() {
    refused("integer out of range ±(2^53-1): 9007199254740992", 9007199254740992L);
    refused("integer out of range ±(2^53-1): -9007199254740992", -9007199254740992L);
    refused("integer out of range ±(2^53-1): 9007199254740993", new BigInteger("9007199254740993"));
    refused("integer out of range ±(2^53-1): 1.0E21", 1e21);
    refused(
        "integer out of range ±(2^53-1): 9.007199254740992E15",
        new BigDecimal("9007199254740992.5"));
    refused("number out of range: 1E+500", new BigDecimal("1e500"));
    refused("number out of range: 1E+2000000000", new BigDecimal("1e2000000000"));
    refused("not a JSON number: Infinity", new BigDecimal("1e309"));
    refused("not a JSON number: NaN", Double.NaN);
    refused("not a JSON number: -Infinity", Float.NEGATIVE_INFINITY);
    refused("U+0000 in a string: index 1", "a\0");
    refused("lone surrogate U+D83D in a string: index 0", "\uD83D");
    refused("lone surrogate U+DE00 in a string: index 1", "a\uDE00");
    refused("lone surrogate U+D83D in a string: index 0", "\uD83D\uD83D\uDE00");
    refused("lone surrogate U+D83D in a string: index 0", Map.of("\uD83D", 1));
    refused("U+0000 in a string: index 0", List.of(Map.of("\0", 1)));
    refused("not a JSON value: an instance of class java.lang.Object", new Object());
    refused("not a name of a JSON object: 1", Map.of(1, 1));
  }

  private static void refused(String message, Object value) {
    assertEquals(
        message,
        assertThrows(IdentityException.class, () -> CanonicalJson.text(value)).getMessage());
  }
}

package io.kvasir.core.identity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvasir.api.identity.CanonicalJson;
import io.kvasir.api.identity.IdentityException;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class StrictJsonTest {
  private static Object read(String json) {
    return StrictJson.value("x.json", json.getBytes(UTF_8));
  }

  private static void refused(String message, String json) {
    refused(message, json.getBytes(UTF_8));
  }

  private static void refused(String message, byte[] json) {
    assertEquals(
        message,
        assertThrows(IdentityException.class, () -> StrictJson.value("x.json", json)).getMessage());
  }

  @Provide
  Arbitrary<Object> trees() {
    Arbitrary<Object> leaf =
        Arbitraries.oneOf(
            Arbitraries.just(null),
            Arbitraries.of(true, false).map(b -> (Object) b),
            Arbitraries.longs().between(-(1L << 53) + 1, (1L << 53) - 1).map(n -> (Object) n),
            Arbitraries.doubles()
                .between(-1e15, 1e15)
                .ofScale(9)
                .map(d -> (Object) BigDecimal.valueOf(d)),
            texts().map(s -> (Object) s));
    Arbitrary<Object> tree = leaf;
    for (int depth = 0; depth < 3; depth++) {
      tree =
          Arbitraries.oneOf(
              leaf,
              tree.list().ofMaxSize(3).map(l -> (Object) l),
              Arbitraries.maps(texts(), tree).ofMaxSize(3).map(m -> (Object) m));
    }
    return tree;
  }

  private static Arbitrary<String> texts() {
    return Arbitraries.strings()
        .ascii()
        .withChars('\u00fc', '\u0308', '\u20ac', '\uFB33', '"', '\\', '\n')
        .excludeChars('\0')
        .ofMaxLength(6)
        .flatMap(s -> Arbitraries.of("", "\uD83D\uDE00").map(e -> s + e));
  }

  @Property(tries = 500)
  void whatIsWrittenReadsAsTheSame(@ForAll("trees") Object tree) {
    byte[] canonical = CanonicalJson.bytes(tree);
    Object again = StrictJson.value("tree", canonical);
    assertArrayEquals(canonical, CanonicalJson.bytes(again));
    assertEquals(numbersAlike(tree), numbersAlike(again));
  }

  private static Object numbersAlike(Object value) {
    return switch (value) {
      case null -> "null";
      case Number n -> n.doubleValue() + 0.0;
      case List<?> list -> list.stream().map(StrictJsonTest::numbersAlike).toList();
      case Map<?, ?> map -> {
        Map<Object, Object> out = new LinkedHashMap<>();
        map.forEach((k, v) -> out.put(k, numbersAlike(v)));
        yield out;
      }
      case String s -> "\"" + s;
      default -> value;
    };
  }

  @Property
  void everyDoubleThatIsWrittenReadsAsItself(@ForAll double value) {
    if (value == Math.rint(value) && Math.abs(value) > 9007199254740991.0) {
      return;
    }
    Number read = (Number) read(CanonicalJson.text(value));
    assertEquals(value + 0.0, read.doubleValue());
  }

  @Example
  void valuesHaveTheTypesOfTheTree() {
    Map<String, Object> expected = new LinkedHashMap<>();
    expected.put("t", "a");
    expected.put("i", 7L);
    expected.put("f", new BigDecimal("7.0"));
    expected.put("b", true);
    expected.put("n", null);
    expected.put("l", new ArrayList<>(Arrays.asList(1L, null)));
    assertEquals(
        expected, read(" {\"t\":\"a\",\"i\":7,\"f\":7.0,\"b\":true,\"n\":null,\"l\":[1,null]}\n"));
  }

  @Example
  void namesThatStandTwiceAreRefusedWhereTheyStand() {
    refused("x.json: rope.factor: the name stands twice", "{\"rope\":{\"factor\":1,\"factor\":1}}");
    refused("x.json: a[1].b: the name stands twice", "{\"a\":[{},{\"b\":1,\"\\u0062\":2}]}");
    assertEquals(2, ((Map<?, ?>) read("{\"a\":1,\"A\":2}")).size());
  }

  @Example
  void textThatUtf8CannotHoldIsRefusedInValuesAndNames() {
    refused("x.json: a: lone surrogate U+DE00 in a string: index 1", "{\"a\":\"x\\uDE00\"}");
    refused(
        "x.json: not JSON: Broken surrogate pair in property name: expected '\\' to start low"
            + " surrogate, got 0x22; line 1, column 9",
        "{\"\\uD83D\":1}");
    refused("x.json: a[0]: U+0000 in a string: index 0", "{\"a\":[\"\\u0000\"]}");
    assertEquals("\uD83D\uDE00", read("\"\\uD83D\\uDE00\""));
  }

  @Example
  void numbersBeyondBinary64AreRefusedHoweverTheyAreWritten() {
    String rest = " is out of range; a number is a binary64, and an integer within ±(2^53-1)";
    for (String n :
        List.of(
            "9007199254740992",
            "-9007199254740992",
            "9007199254740992.0",
            "9.007199254740992e15",
            "90071992547409920e-1",
            "1e309",
            "-1e400",
            "1e2147483648",
            "1e99999999999")) {
      refused("x.json: a: " + n + rest, "{\"a\":" + n + "}");
    }
    refused("x.json: " + "1".repeat(40) + "…" + rest, "1".repeat(100));
    assertEquals(9007199254740991L, read("9007199254740991"));
    assertEquals(0L, read("-0"));
    assertEquals("0", CanonicalJson.text(read("1e-400")));
  }

  @Example
  void literalsThatAreNoNumbersAreRefused() {
    for (String n : List.of("NaN", "Infinity", "-Infinity")) {
      refused(
          "x.json: a: " + n + " is not a JSON number; write null, or the string \"" + n + "\"",
          "{\"a\":" + n + "}");
    }
    refused("x.json: -INF is not a JSON number", "-INF");
  }

  @Example
  void aModelsFileMayHoldThemAsText() {
    assertEquals(
        Map.of("a", "NaN", "b", List.of("Infinity", "-Infinity")),
        StrictJson.modelFile(
            "config.json", "{\"a\":NaN,\"b\":[Infinity,-Infinity]}".getBytes(UTF_8)));
    assertEquals( // files have it where they mean no limit
        Map.of("a", List.of("1E+308", "1E+308", "-2.5E+300")),
        StrictJson.modelFile("config.json", "{\"a\":[1e308,10.0e307,-2.5e300]}".getBytes(UTF_8)));
    assertThrows(
        IdentityException.class,
        () -> StrictJson.modelFile("config.json", "{\"a\":9007199254740993}".getBytes(UTF_8)));
    assertEquals(
        "config.json: a: the name stands twice",
        assertThrows(
                IdentityException.class,
                () -> StrictJson.modelFile("config.json", "{\"a\":NaN,\"a\":1}".getBytes(UTF_8)))
            .getMessage());
  }

  @Example
  void whatIsNotOneDocumentIsRefused() {
    refused("x.json: empty", "");
    refused("x.json: empty", " \n");
    refused("x.json: more than one value; line 2", "{}\n{}");
    assertThrows(IdentityException.class, () -> read("{} x"));
    refused(
        "x.json: not JSON: Unexpected end-of-input: expected close marker for Object; line"
            + " 2, column 7",
        "\n{\"a\":1");
    assertThrows(IdentityException.class, () -> read("{\"a\":1,}"));
    assertThrows(IdentityException.class, () -> read("{'a':1}"));
    assertThrows(IdentityException.class, () -> read("{\"a\":1/*c*/}"));
    assertThrows(IdentityException.class, () -> read("01"));
    assertThrows(IdentityException.class, () -> read("\uFEFF{}"));
    refused(
        "x.json: not JSON: Unexpected character ('}' (code 125)): was expecting double-quote to"
            + " start property name; line 1, column 8",
        "{\"a\":1,}");
  }

  @Example
  void bytesThatAreNotUtf8AreRefused() {
    refused("x.json: not UTF-8 at byte 1", new byte[] {'"', (byte) 0xE4, '"'});
    refused("x.json: not UTF-8 at byte 1", new byte[] {'"', (byte) 0xC1, (byte) 0xA1, '"'});
    refused(
        "x.json: not UTF-8 at byte 1",
        new byte[] {'"', (byte) 0xED, (byte) 0xA0, (byte) 0x80, '"'});
    refused("x.json: not UTF-8 at byte 1", new byte[] {'"', (byte) 0xE2});
    assertThrows(
        IdentityException.class,
        () -> StrictJson.value("x.json", "{}".getBytes(Charset.forName("UTF-16LE"))));
  }

  @Example
  void depthAndLengthAreBounded() {
    int most = StrictJson.MAX_DEPTH;
    read("[".repeat(most) + "]".repeat(most));
    refused(
        "x.json: not JSON: Document nesting depth (65) exceeds the maximum allowed (64, from"
            + " `StreamReadConstraints.getMaxNestingDepth()`)",
        "[".repeat(most + 1) + "]".repeat(most + 1));
    assertThrows(IdentityException.class, () -> read("0." + "1".repeat(1_000)));
    refused(
        "x.json: larger than 64 MiB; no document of identity is",
        new byte[StrictJson.MAX_BYTES + 1]);
  }

  @Example
  void messagesAreShortWhateverTheDocumentHolds() {
    String name = "n".repeat(10_000);
    refused(
        "x.json: " + "n".repeat(200) + "…: the name stands twice",
        "{\"" + name + "\":1,\"" + name + "\":2}");
    assertEquals(
        "x.json: [" + "1,".repeat(39) + "1… is not an object",
        assertThrows(
                IdentityException.class,
                () ->
                    StrictJson.object("x.json", ("[" + "1,".repeat(10_000) + "1]").getBytes(UTF_8)))
            .getMessage());
  }

  @Example
  void aFileIsNamedInItsErrors() throws IOException {
    Path file = Files.createTempFile("kvasir", ".json");
    try {
      Files.writeString(file, "[1]");
      assertEquals(
          file + ": [1] is not an object",
          assertThrows(IdentityException.class, () -> StrictJson.object(file)).getMessage());
      Files.writeString(file, "{\"a\":NaN}");
      assertEquals(Map.of("a", "NaN"), StrictJson.modelFile(file));
    } finally {
      Files.delete(file);
    }
  }
}

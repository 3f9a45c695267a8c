package io.kvasir.core.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.kvasir.api.identity.ChainHasher;
import io.kvasir.api.identity.ContentItem;
import io.kvasir.api.identity.IdentityException;
import io.kvasir.api.identity.KeyChain;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.identity.Weights;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;

/** Every refused input of identity.json, with the whole message that it gets. */
class RefusedVectorsTest {
  private static final Map<String, String> JSON =
      Map.of(
          "{\"a\":1,\"a\":2}", "x.json: a: the name stands twice",
          "\"\\ud800\"", "x.json: lone surrogate U+D800 in a string: index 0",
          "\"\\u0000\"", "x.json: U+0000 in a string: index 0",
          "9007199254740993", outOfRange("9007199254740993"),
          "1e21", outOfRange("1e21"),
          "123456789012345680000.0", outOfRange("123456789012345680000.0"),
          "1.7976931348623157e308", outOfRange("1.7976931348623157e308"),
          "NaN", "x.json: NaN is not a JSON number; write null, or the string \"NaN\"",
          "Infinity",
              "x.json: Infinity is not a JSON number; write null, or the string \"Infinity\"");

  private static String outOfRange(String number) {
    return "x.json: "
        + number
        + " is out of range; a number is a binary64, and an integer within ±(2^53-1)";
  }

  private static final Map<String, String> NAMES =
      Map.of(
          "",
          mutable(""),
          "main",
          mutable("main"),
          "latest",
          mutable("latest"),
          "HEAD",
          mutable("HEAD"));

  private static String mutable(String name) {
    return "weights.name: \""
        + name
        + "\" can mean other weights tomorrow; write a commit, a content digest or a name that is"
        + " never used again, such as \"release-7\"";
  }

  @Test
  void everyRefusedPartHasATest() {
    assertEquals(
        Set.of("json", "tokens", "content_digest_bytes", "engine_hash_bytes", "weights_names"),
        Vectors.object("refused").keySet());
  }

  @TestFactory
  Stream<DynamicTest> ambiguousJsonIsRefused() {
    return each(
        "json",
        json ->
            refused(
                JSON.get(json),
                () ->
                    StrictJson.value("x.json", ((String) json).getBytes(StandardCharsets.UTF_8))));
  }

  @TestFactory
  Stream<DynamicTest> tokensOutOfRangeAreRefused() {
    NamespaceManifest manifest = Vectors.manifest();
    return each(
        "tokens",
        token ->
            refused(
                "token " + ((Long) token).intValue() + " at 5 is out of range 0 … 2^31-1",
                () -> {
                  KeyChain chain =
                      new KeyChain(
                          manifest,
                          new ChainHasher(manifest.id(), RequestScope.NONE),
                          4,
                          List.of());
                  chain.append(1, 2, 3);
                  chain.append(4, 5, ((Long) token).intValue());
                }));
  }

  @TestFactory
  Stream<DynamicTest> contentDigestsOfAnotherSizeAreRefused() {
    return each(
        "content_digest_bytes",
        size ->
            refused(
                "a content digest has 32 bytes, not " + size,
                () -> new ContentItem(0, 1, "image", new byte[((Long) size).intValue()])));
  }

  @TestFactory
  Stream<DynamicTest> shortEngineHashesAreRefused() {
    return each(
        "engine_hash_bytes",
        size ->
            refused(
                "an engine's block hash has at least 16 bytes, not "
                    + size
                    + "; shorter ones collide",
                () ->
                    ChainHasher.bind(
                        Vectors.manifest().id(),
                        RequestScope.NONE,
                        new byte[((Long) size).intValue()])));
  }

  @TestFactory
  Stream<DynamicTest> namesThatMeanOtherWeightsTomorrowAreRefused() {
    return each(
        "weights_names",
        name -> refused(NAMES.get(name), () -> Weights.named("acme/chat", (String) name)));
  }

  private static void refused(String message, Executable action) {
    assertEquals(message, assertThrows(IdentityException.class, action).getMessage());
  }

  private interface Check {
    void run(Object value);
  }

  private static Stream<DynamicTest> each(String part, Check check) {
    return Vectors.list(Vectors.object("refused").get(part)).stream()
        .map(value -> dynamicTest("\"" + value + "\"", () -> check.run(value)));
  }
}

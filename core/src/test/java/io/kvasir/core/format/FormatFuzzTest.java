package io.kvasir.core.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.identity.CanonicalJson;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Configurations with something wrong in them: refused with words, or a model of their own; never a
 * crash, and never another geometry under the name of the first.
 */
class FormatFuzzTest {
  private static final int RANDOM = Boolean.getBoolean("kvasir.soak") ? 20_000 : 60;
  private static final Object ABSENT = new Object();

  @TempDir Path directory;

  static List<String> classes() {
    return SpellingTest.classes();
  }

  /** Values of every type and of the edges of their ranges. */
  private static List<Object> wrong() {
    List<Object> out = new ArrayList<>();
    out.add(ABSENT);
    out.add(null);
    out.addAll(
        List.of(
            true,
            "",
            "auto",
            "NaN",
            "x".repeat(300),
            -1L,
            0L,
            1L,
            3L,
            4097L,
            (1L << 53) - 1,
            new BigDecimal("0.5"),
            new BigDecimal("1e308"),
            new BigDecimal("-1e-308"),
            List.of()));
    out.add(List.of(1L, "a", Map.of()));
    out.add(new ArrayList<>(java.util.Collections.nCopies(5000, "full_attention")));
    out.add(Map.of());
    out.add(Map.of("rope_type", 7L, "factor", "x", "full_attention", List.of()));
    return out;
  }

  @ParameterizedTest
  @MethodSource("classes")
  void wrongValueOfAnyFieldIsRefusedOrAnotherModel(String type) {
    Map<String, Object> file = whole(type);
    KvFormat before = resolve(file).orElseThrow();
    int cases = 0;
    int refused = 0;
    for (String name : names(file)) {
      for (Object value : wrong()) {
        Map<String, Object> mutated = replaced(file, name, value);
        cases++;
        Optional<KvFormat> after = resolve(mutated);
        refused += after.isEmpty() ? 1 : 0;
        boolean same = after.isPresent() && id(after.get()).equals(id(before));
        if (same && !Tables.COSMETIC.contains(name)) {
          boolean says = value == ABSENT || value == null || Fields.same(value, at(file, name));
          boolean empty =
              (value instanceof List<?> l && l.isEmpty())
                  || (value instanceof Map<?, ?> m && m.isEmpty());
          boolean spelt = "auto".equals(value) && name.startsWith("mamba_");
          assertTrue(says || empty || spelt, type + " joins: " + name + " = " + value);
        }
        if (same) {
          assertEquals(before.groups(), after.get().groups());
        }
      }
    }
    assertTrue(cases > 100 && refused > cases / 10, cases + " cases, refused " + refused);
  }

  @ParameterizedTest
  @MethodSource("classes")
  void severalWrongValuesAtOnceAreRefusedOrAnotherModel(String type) {
    Random random = new Random(type.hashCode());
    Map<String, Object> file = whole(type);
    List<String> names = names(file);
    List<Object> values = wrong();
    for (int i = 0; i < RANDOM; i++) {
      Map<String, Object> mutated = file;
      for (int k = 0; k < 3; k++) {
        mutated =
            replaced(
                mutated,
                names.get(random.nextInt(names.size())),
                values.get(random.nextInt(values.size())));
      }
      resolve(mutated);
    }
  }

  /** What the class fills in stands in the file, so that each of it is tried. */
  private static Map<String, Object> whole(String type) {
    Map<String, Object> file = new LinkedHashMap<>(Models.config(type));
    ModelClass model = ModelClass.named(type);
    if (!model.flag("parts")) {
      model.table("defaults").forEach(file::putIfAbsent);
    }
    Map<String, Object> scaled = replaced(file, "rope_scaling", Map.of("rope_type", "default"));
    if (resolve(scaled).isPresent()) {
      file = scaled;
    }
    file.putIfAbsent("layer_types", null);
    return file;
  }

  private static List<String> names(Map<String, Object> file) {
    List<String> out = new ArrayList<>(file.keySet());
    if (file.get("text_config") instanceof Map<?, ?> text) {
      text.keySet().forEach(name -> out.add("text_config." + name));
    }
    return out;
  }

  private static Object at(Map<String, Object> file, String name) {
    return new Fields("", file).path(name);
  }

  private static Map<String, Object> replaced(Map<String, Object> file, String name, Object value) {
    Map<String, Object> out = new LinkedHashMap<>(file);
    if (value == ABSENT) {
      new Fields("", out).remove(name);
    } else {
      new Fields("", out).put(name, value);
    }
    return out;
  }

  /** {@return the format; empty if the file is refused, with words that name a field} */
  private static Optional<KvFormat> resolve(Map<String, Object> file) {
    int tokens = "deepseek_v4".equals(file.get("model_type")) ? 128 : 16;
    try {
      KvFormat format =
          HfResolver.resolve(
              io.kvasir.api.EngineSpec.builder()
                  .engine("none")
                  .blockTokens(tokens)
                  .setting("layout", "l/1")
                  .build(),
              "hf",
              (_, _) -> new ModelFiles("config.json: ", file, Optional.empty()));
      format.check();
      return Optional.of(format);
    } catch (FormatException e) {
      String message = e.getMessage();
      assertTrue(
          message.contains(": ") && message.length() < 2500, message.length() + ": " + message);
      return Optional.empty();
    }
  }

  private static String id(KvFormat format) {
    return Models.manifest(format);
  }

  @Test
  void hostileTextIsRefusedInBoundedTimeAndMemory() throws IOException {
    String whole = CanonicalJson.text(Models.config("gemma3"));
    String deep = "{\"a\":".repeat(100_000) + "1" + "}".repeat(100_000);
    List<String> texts =
        List.of(
            whole.replaceFirst("\\{", "{\"model_type\":\"gemma3\","), // a name twice
            whole.replace("\"text_config\":{", "\"text_config\":{\"hidden_size\":128,"),
            whole.replace(":128", ":NaN"),
            whole.replace(":128", ":-Infinity"),
            whole.replace(":128", ":1e400"),
            whole.replace(":128", ":1e999999999"),
            whole.replace(":128", ":" + "9".repeat(100_000)),
            whole.replace(":128", ":0x80"),
            whole.replace(":128", ":128."),
            whole.replaceFirst("\\{", "{\"x\":" + deep + ","),
            whole.replaceFirst("\\{", "{\"x\":" + "[".repeat(70) + "]".repeat(70) + ","),
            "[".repeat(5_000_000),
            "\"" + "x".repeat(5_000_000),
            whole.substring(0, whole.length() - 1),
            whole + whole,
            "\uFEFF" + whole,
            "");
    for (String text : texts) {
      Files.write(directory.resolve("config.json"), text.getBytes(StandardCharsets.UTF_8));
      FormatException e =
          assertTimeoutPreemptively(
              Duration.ofSeconds(20),
              () ->
                  assertThrows(
                      FormatException.class,
                      () ->
                          new HfResolver().resolve(Models.spec("none", directory, Models.LAYOUT))));
      assertTrue(e.getMessage().contains("config.json"), e.getMessage());
      assertTrue(e.getMessage().length() < 2500, e.getMessage());
    }
  }

  @Test
  void largestModelThatTheBoundsAllowIsDoneInBoundedTime() {
    Map<String, Object> file = new LinkedHashMap<>(Models.config("glm_moe_dsa"));
    file.put("num_hidden_layers", (long) NormalConfig.MOST_LAYERS);
    assertTimeoutPreemptively(Duration.ofSeconds(20), () -> resolve(file));
  }
}

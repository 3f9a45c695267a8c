package io.kvasir.core.format;

import static io.kvasir.core.format.Models.assertRefused;
import static io.kvasir.core.format.Models.config;
import static io.kvasir.core.format.Models.hf;
import static io.kvasir.core.format.Models.with;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.api.format.HitRule;
import io.kvasir.api.format.KvGroup;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LayerKindsTest {
  @TempDir Path directory;

  @Test
  void mistralSlidesInAllLayersUnlessItsWindowIsNullOrHidesNothing() {
    Map<String, Object> file = config("mistral");
    assertEquals(List.of("sliding 128 [0, 1, 2, 3]"), groups(file));
    assertEquals(HitRule.trailing(128), hf(directory, file).groups().getFirst().hit());
    assertEquals(
        List.of("full null [0, 1, 2, 3]"),
        groups(with(with(file, "sliding_window", "null"), "max_position_embeddings", "8192")));
    assertEquals(
        List.of("full null [0, 1, 2, 3]"),
        groups(with(with(file, "sliding_window", null), "max_position_embeddings", "4096")));
    assertEquals( // absent is 4096 in this class
        List.of("sliding 4096 [0, 1, 2, 3]"),
        groups(with(with(file, "sliding_window", null), "max_position_embeddings", "4097")));
    assertEquals(List.of("full null [0, 1]"), groups(config("mixtral"))); // absent is none here
  }

  @Test
  void windowThatHidesNothingBeforeRopeStretchesHidesSomethingAfter() {
    Map<String, Object> file =
        with(
            with(config("mistral"), "sliding_window", "4096"),
            "rope_scaling",
            "{\"type\":\"yarn\",\"factor\":4.0,\"original_max_position_embeddings\":4096}");
    assertEquals(List.of("sliding 4096 [0, 1, 2, 3]"), groups(file));
  }

  @Test
  void qwenSlidesFromALayerOnOnlyIfItIsSwitchedOn() {
    Map<String, Object> file = config("qwen2");
    assertEquals(List.of("full null [0, 1, 2, 3, 4, 5]"), groups(file));
    Map<String, Object> on = with(file, "use_sliding_window", "true");
    assertEquals(List.of("full null [0, 1, 2, 3]", "sliding 64 [4, 5]"), groups(on));
    assertEquals(
        List.of("full null [0, 1, 2, 3, 4, 5]"), groups(with(on, "sliding_window", "null")));
    assertEquals(
        List.of("sliding 64 [0, 2, 4]", "full null [1, 3, 5]"),
        groups(
            with(
                on,
                "layer_types",
                "[\"sliding_attention\",\"full_attention\",\"sliding_attention\",\"full_attention\",\"sliding_attention\",\"full_attention\"]")));
  }

  @Test
  void patternThatContradictsItselfIsRefused() {
    String mixed =
        "[\"sliding_attention\",\"full_attention\",\"sliding_attention\",\"full_attention\"]";
    assertRefused(
        "config.json: layer_types: is not what the class mistral does with its layers, and engines"
            + " differ in which they follow; declare the format with the resolver \"explicit\"",
        () -> groups(with(config("mistral"), "layer_types", mixed)));
    assertEquals( // the window hides nothing, so all readings are one
        List.of("full null [0, 1, 2, 3]"),
        groups(with(with(config("mistral"), "layer_types", mixed), "sliding_window", "4096")));
    assertRefused(
        "config.json: layer_types: has 4 entries, but num_hidden_layers is 8",
        () -> groups(with(config("gemma3_text"), "layer_types", mixed)));
    assertRefused(
        "config.json: layer_types: contradicts sliding_window_pattern; keep the one that is in"
            + " force",
        () ->
            groups(
                with(
                    with(
                        with(config("gemma3_text"), "num_hidden_layers", "4"),
                        "layer_types",
                        mixed),
                    "sliding_window_pattern",
                    "3")));
    assertRefused(
        "config.json: layer_types: \"linear_attention\" is no kind of layer of the class gemma2"
            + " (full_attention, sliding_attention); declare the format with the resolver"
            + " \"explicit\"",
        () ->
            groups(
                with(
                    with(config("gemma2"), "num_hidden_layers", "4"),
                    "layer_types",
                    mixed.replace("full", "linear"))));
    assertRefused(
        "config.json: layer_types: holds \"sliding_attention\", but use_sliding_window is false",
        () -> groups(with(with(config("qwen2"), "num_hidden_layers", "4"), "layer_types", mixed)));
    assertRefused(
        "config.json: _sliding_window_pattern: 4 contradicts sliding_window_pattern 6;"
            + " keep the one that is in force",
        () ->
            groups(
                with(
                    with(config("gemma3_text"), "sliding_window_pattern", "6"),
                    "_sliding_window_pattern",
                    "4")));
    assertRefused(
        "config.json: sliding_window: null, but layers slide; give the tokens of the window",
        () -> groups(with(config("gemma2"), "sliding_window", "null")));
    assertRefused(
        "config.json: use_sliding_window: true, but engines differ in which layers of this class"
            + " slide; declare the format with the resolver \"explicit\"",
        () -> groups(with(config("qwen3_moe"), "use_sliding_window", "true")));
  }

  /** As Gemma 4 E2B: the last 20 of 35 layers read what others keep. */
  @Test
  void layersThatShareKeepNothingOfTheirOwn() {
    Map<String, Object> file =
        with(with(config("gemma4_text"), "num_hidden_layers", "35"), "num_kv_shared_layers", "20");
    assertEquals(
        List.of("sliding 512 [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 12, 13, 14]", "full null [5, 11]"),
        groups(file));
    String five = "[" + "\"sliding_attention\",".repeat(4) + "\"full_attention\"";
    String types = five + ("," + five.substring(1)).repeat(6) + "]";
    assertEquals(
        List.of("sliding 512 [0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 12, 13]", "full null [4, 9, 14]"),
        groups(with(file, "layer_types", types)));
    assertRefused(
        "config.json: num_kv_shared_layers: 35 is not a whole number from 0 to 34",
        () -> groups(with(file, "num_kv_shared_layers", "35")));
  }

  /** The last layer of Gemma 4 sees everything, whatever the file says. */
  @Test
  void lastLayerIsFullWhereItsClassForcesIt() {
    Map<String, Object> file = with(config("gemma4_text"), "num_hidden_layers", "2");
    assertEquals(List.of("sliding 512 [0]", "full null [1]"), groups(file));
  }

  private List<String> groups(Map<String, Object> config) {
    return hf(directory, config).groups().stream().map(LayerKindsTest::show).toList();
  }

  private static String show(KvGroup g) {
    return g.kind().wireName() + " " + g.window() + " " + g.layers();
  }
}

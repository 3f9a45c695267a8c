package io.kvasir.core.format;

import static io.kvasir.core.format.Models.assertRefused;
import static io.kvasir.core.format.Models.config;
import static io.kvasir.core.format.Models.with;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lists by layer in the spellings that only few classes have. */
class LayerListTest {
  @TempDir Path directory;

  /** As DeepSeek-V4: one more ratio where there is a layer for drafts, but not in every file. */
  @Test
  void listMayGoOnForTheLayersThatAreBeyond() {
    String ratios = "[128,128,4,128,4,128,4,128";
    Map<String, Object> file = with(config("deepseek_v4"), "num_nextn_predict_layers", "1");
    String found = id(with(file, "compress_ratios", ratios + "]"));
    assertEquals(found, id(with(file, "compress_ratios", ratios + ",0]")));
    assertRefused(
        "config.json: compress_ratios: has 10 entries, but num_hidden_layers is 8",
        () -> id(with(file, "compress_ratios", ratios + ",0,0]")));
    assertRefused(
        "config.json: compress_ratios: has 9 entries, but num_hidden_layers is 8",
        () ->
            id(
                with(
                    with(file, "num_nextn_predict_layers", "0"),
                    "compress_ratios",
                    ratios + ",0]")));
  }

  /** As published files of Llama 4: an empty list stands for the class's own. */
  @Test
  void emptyListIsAnAbsentOneWhereTheClassReadsItSo() {
    Map<String, Object> file = config("llama4_text");
    assertEquals(id(file), id(with(file, "no_rope_layers", "[]")));
    assertRefused(
        "config.json: layer_types: has 0 entries, but num_hidden_layers is 8",
        () -> id(with(file, "layer_types", "[]")));
  }

  @ParameterizedTest
  @CsvSource({
    "'4,8', '1,2,3,5,6,7,8', '8 is none of the 8 layers, counted from 1, or stands twice'",
    "'4,8', '1,2,3,5,6,7,9', '9 is none of the 8 layers, counted from 1, or stands twice'",
    "'4,8', '0,1,2,3,5,6,7', '0 is none of the 8 layers, counted from 1, or stands twice'"
  })
  void placeThatIsNoLayerOrStandsTwiceIsRefused(String full, String linear, String why) {
    assertRefused(
        "config.json: linear_attn_config.kda_layers: " + why, () -> id(kimi(full, linear)));
  }

  @Test
  void placesSayTheKindOfEachLayer() {
    id(kimi("4,8", "1,2,3,5,6,7"));
    assertRefused(
        "config.json: linear_attn_config.full_attn_layers: says nothing of layer 7",
        () -> id(kimi("4,8", "1,2,3,5,6")));
  }

  /** The spelling between them is absent. */
  @Test
  void firstAndLastSpellingThatContradictEachOtherAreBothNamed() {
    Map<String, Object> file = config("glm_moe_dsa");
    String types = "[\"full\",\"full\",\"full\",\"full\",\"full\",\"full\",\"full\",\"shared\"]";
    assertRefused(
        "config.json: indexer_types: contradicts index_topk_freq; keep the one that is in force",
        () -> id(with(with(file, "indexer_types", types), "index_topk_freq", "4")));
  }

  private static Map<String, Object> kimi(String full, String linear) {
    return with(
        config("kimi_linear"),
        "linear_attn_config",
        "{\"head_dim\":64,\"num_heads\":8,\"short_conv_kernel_size\":4,\"full_attn_layers\":[%s],\"kda_layers\":[%s]}"
            .formatted(full, linear));
  }

  private String id(Map<String, Object> file) {
    return Models.manifest(Models.plain(directory, file));
  }
}

package io.kvasir.core.format;

import static io.kvasir.core.format.Models.assertRefused;
import static io.kvasir.core.format.Models.config;
import static io.kvasir.core.format.Models.hf;
import static io.kvasir.core.format.Models.with;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.GroupKind;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** States over ranks, and what becomes one group. */
class StateGroupsTest {
  /** 16 heads of 32 elements, one group of 64 for B and C, a kernel of 4. */
  private static final Map<String, Object> MAMBA =
      with(
          with(
              with(with(config("granitemoehybrid"), "mamba_n_heads", "16"), "mamba_d_head", "64"),
              "mamba_d_state",
              "64"),
          "mamba_n_groups",
          "1");

  @TempDir Path directory;

  @Test
  void oneGroupOfAStateIsRepeatedOnEachRank() {
    long elements = 16 * 64 * 64;
    assertEquals(2 * (elements + (16 * 64 + 2 * 64) * 3), bytesPerLayer(MAMBA, 1));
    assertEquals(2 * (elements + (16 * 64 + 2 * 2 * 64) * 3), bytesPerLayer(MAMBA, 2));
    Map<String, Object> four = with(MAMBA, "mamba_n_groups", "4");
    assertEquals(2 * (elements + (16 * 64 + 2 * 4 * 64) * 3), bytesPerLayer(four, 1));
    assertEquals(bytesPerLayer(four, 1), bytesPerLayer(four, 2)); // as many as they are, cut
  }

  @Test
  void stateThatRanksCannotShareIsRefused() {
    assertRefused(
        "config.json: mamba_n_heads: is not divisible by the 3 ranks",
        () -> bytesPerLayer(MAMBA, 3));
    assertRefused(
        "config.json: mamba_n_groups: is not divisible by the 8 ranks",
        () -> bytesPerLayer(with(MAMBA, "mamba_n_groups", "4"), 8));
    assertRefused(
        "config.json: mamba_n_groups: 0 is not a whole number from 1 to 65536",
        () -> bytesPerLayer(with(MAMBA, "mamba_n_groups", "0"), 1));
  }

  /** A block has at most 64 MiB on a rank: here a layer's state has 32 MiB and a bit. */
  @Test
  void statesAreCutIntoAsManyGroupsAsABlockAsksFor() {
    Map<String, Object> file =
        with(
            with(with(config("minimax"), "num_attention_heads", "64"), "head_dim", "512"),
            "num_key_value_heads",
            "64");
    assertEquals(List.of(List.of(1, 3), List.of(5, 7)), states(file, 1));
    assertEquals(List.of(List.of(1, 3, 5, 7)), states(file, 2));
  }

  /** The latent of a layer and its indexer's keys may be of one size, and are two things. */
  @Test
  void kindsOfOneSizeAreGroupsOfTheirOwn() {
    Map<String, Object> file = with(config("deepseek_v32"), "index_head_dim", "576");
    List<KvGroup> groups = Models.plain(directory, file).groups();
    assertEquals(
        List.of(GroupKind.MLA, GroupKind.INDEX), groups.stream().map(KvGroup::kind).toList());
    assertEquals(groups.getFirst().kDim(), groups.getLast().kDim());
  }

  @Test
  void statesOfOneSizeAndTwoTypesAreGroupsOfTheirOwn() {
    Map<String, Long> sizes = Map.of("conv", 64L, "ssm", 64L);
    List<List<Slot>> layers =
        List.of(
            List.of(new Slot(GroupKind.STATE, sizes, "float32")),
            List.of(new Slot(GroupKind.STATE, sizes, "bfloat16")),
            List.of(new Slot(GroupKind.STATE, sizes, null)));
    NormalConfig config =
        new NormalConfig(
            ModelClass.named("granitemoehybrid"),
            Map.of(),
            new Fields("", Map.of()),
            layers,
            "bfloat16");
    EngineSpec spec = EngineSpec.builder().engine("vllm").resolver("hf").blockTokens(16).build();
    List<KvGroup> groups =
        new Groups(config, 16, new Settings(spec, "hf"))
            .of(Groups.Types.of(CacheType.plain(Dtype.BF16), Dtype.BF16));
    assertEquals(
        List.of(List.of(0), List.of(1), List.of(2)), groups.stream().map(KvGroup::layers).toList());
    assertEquals(64 * (2 + 4), groups.get(0).stateBytes());
    assertEquals(64 * (2 + 2), groups.get(1).stateBytes());
  }

  @Test
  void sizeThatNoHeadHasIsRefused() {
    Map<String, Object> file = with(config("deepseek_v3"), "qk_rope_head_dim", "0");
    assertRefused(
        "config.json: kv_lora_rank: makes kv_lora_rank + qk_rope_head_dim 0, which is no whole"
            + " number from 1 to 65536",
        () -> hf(directory, with(file, "kv_lora_rank", "0")));
    assertRefused(
        "config.json: kv_lora_rank: makes kv_lora_rank + qk_rope_head_dim 65537, which is no whole"
            + " number from 1 to 65536",
        () -> hf(directory, with(file, "kv_lora_rank", "65537")));
  }

  private long bytesPerLayer(Map<String, Object> file, int ranks) {
    KvGroup state =
        format(file, ranks).groups().stream()
            .filter(g -> g.kind() == GroupKind.STATE)
            .findFirst()
            .orElseThrow();
    return state.stateBytes() / state.layers().size();
  }

  private List<List<Integer>> states(Map<String, Object> file, int ranks) {
    return format(file, ranks).groups().stream()
        .filter(g -> g.kind() == GroupKind.STATE)
        .map(KvGroup::layers)
        .toList();
  }

  private KvFormat format(Map<String, Object> file, int ranks) {
    return hf(directory, file, Map.of("tensor_parallel", ranks));
  }
}

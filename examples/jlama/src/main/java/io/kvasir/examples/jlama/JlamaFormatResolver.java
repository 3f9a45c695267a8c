package io.kvasir.examples.jlama;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.tjake.jlama.tensor.operations.TensorOperationsProvider;
import com.github.tjake.jlama.util.MachineSpec;
import io.kvasir.api.EngineSpec;
import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.FormatResolver;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import io.kvasir.api.format.ModelConfiguration;
import io.kvasir.api.format.Shards;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Says what Jlama's blocks mean.
 *
 * <p>Jlama stores keys after RoPE, and its RoPE gives each head an offset of its own, so no other
 * engine can read them: engine and layout say so. And {@link JlamaEngine} promises that a hit gives
 * the bits of a full prefill. They depend on Jlama's version, on the operations that it chose for
 * this machine (the same weights gave three different results with native, 512-bit and 256-bit
 * operations), on the batch size and on the size of a page; all of it stands in {@code numerics}.
 * The number of threads does not matter.
 */
public final class JlamaFormatResolver implements FormatResolver {
  static final String NAME = "jlama";
  static final String WORKING_DTYPE = "working_dtype";
  static final String QUANTISED_DTYPE = "quantised_dtype";

  private static final String LAYOUT = "jlama-layer-kv-token-head-dim/1";
  private static final String PAGES = "ephemeral-1MiB";
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Whether Jlama 0.8.4 reads {@code head_dim} from the configuration of this family. */
  private static final Map<String, Boolean> READS_HEAD_DIM =
      Map.of(
          "llama", false,
          "mistral", true,
          "mixtral", false,
          "qwen2", false,
          "gemma", false,
          "gemma2", true,
          "granite", false);

  /** Names in {@code config.json} that change no value of K or V. */
  private static final Set<String> COSMETIC =
      Set.of(
          "_name_or_path",
          "architectures",
          "bos_token_id",
          "eos_token_id",
          "pad_token_id",
          "torch_dtype",
          "transformers_version",
          "use_cache");

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public KvFormat resolve(EngineSpec spec) {
    ModelFiles files = read(spec);
    JsonNode config = files.config();
    String family = config.path("model_type").asText().toLowerCase(Locale.ROOT);
    if (!READS_HEAD_DIM.containsKey(family)) {
      throw new FormatException(
          "%s: model_type: \"%s\" has no cache that Jlama fills from left to right; use one of %s"
              .formatted(
                  files.directory().resolve("config.json"),
                  family,
                  new TreeSet<>(READS_HEAD_DIM.keySet())));
    }
    Settings settings = Settings.of(spec.settings());
    int heads = positive(files, "num_attention_heads");
    int headDim =
        READS_HEAD_DIM.get(family) && config.hasNonNull("head_dim")
            ? positive(files, "head_dim")
            : positive(files, "hidden_size") / heads;
    List<Integer> layers =
        IntStream.range(0, positive(files, "num_hidden_layers")).boxed().toList();
    KvGroup group =
        KvGroup.full(
            0,
            spec.blockTokens(),
            layers,
            positive(files, "num_key_value_heads"),
            headDim,
            settings.working());
    return KvFormat.of(
            configuration(config, headDim),
            new KvFormat.Compute(weightTypes(files), settings.activations()),
            spec.engine(),
            LAYOUT,
            List.of(group),
            Shards.ONE)
        .withNumerics(numerics());
  }

  /** What decides the bits, beside what the manifest says already. */
  private static String numerics() {
    return "jlama-%s/%s/%s/batch-%d/pages-%s"
        .formatted(
            jlamaVersion(),
            TensorOperationsProvider.get().name().toLowerCase(Locale.ROOT).replace(' ', '-'),
            MachineSpec.VECTOR_TYPE.name().toLowerCase(Locale.ROOT),
            JlamaEngine.batchSize(),
            PAGES);
  }

  private static ModelFiles read(EngineSpec spec) {
    Path model =
        spec.model()
            .orElseThrow(
                () ->
                    new FormatException(
                        "model: missing; name the directory that Jlama loads, as in"
                            + " model(directory)"));
    try {
      return ModelFiles.read(model);
    } catch (IOException | IllegalArgumentException e) {
      throw new FormatException(e.getMessage(), e);
    }
  }

  private static int positive(ModelFiles files, String name) {
    JsonNode value = files.config().path(name);
    if (!value.isInt() || value.intValue() < 1) {
      throw new FormatException(
          "%s: %s: %s is no positive number; Jlama needs it, write it into the file"
              .formatted(
                  files.directory().resolve("config.json"),
                  name,
                  value.isMissingNode() ? "missing" : value));
    }
    return value.intValue();
  }

  /** The file without cosmetic names, with the values that Jlama takes where the file has none. */
  private static ModelConfiguration configuration(JsonNode config, int headDim) {
    Map<String, Object> tree =
        new TreeMap<>(JSON.convertValue(config, new TypeReference<Map<String, Object>>() {}));
    tree.keySet().removeAll(COSMETIC);
    tree.values().removeIf(value -> value == null);
    tree.put("head_dim", headDim);
    tree.putIfAbsent("rope_theta", 10000.0);
    return ModelConfiguration.of(tree);
  }

  private static String weightTypes(ModelFiles files) {
    return files.tensors().values().stream()
        .map(tensor -> tensor.dtype().toLowerCase(Locale.ROOT))
        .distinct()
        .sorted()
        .collect(Collectors.joining("+"));
  }

  private static String jlamaVersion() {
    String file = "/META-INF/maven/com.github.tjake/jlama-core/pom.properties";
    try (InputStream in = TensorOperationsProvider.class.getResourceAsStream(file)) {
      Properties properties = new Properties();
      if (in != null) {
        properties.load(in);
      }
      String version = properties.getProperty("version");
      if (version == null) {
        throw new FormatException(
            "numerics: no version in %s; take the jar of jlama-core as it was released"
                .formatted(file));
      }
      return version;
    } catch (IOException e) {
      throw new FormatException("numerics: cannot read " + file, e);
    }
  }

  /**
   * What the engine says of its types.
   *
   * @param working type of activations and of K and V
   * @param quantised type to which Jlama quantises activations before a multiplication
   */
  private record Settings(Dtype working, String quantised) {

    static Settings of(Map<String, Object> settings) {
      for (String name : settings.keySet()) {
        if (!name.equals(WORKING_DTYPE) && !name.equals(QUANTISED_DTYPE)) {
          throw new FormatException(
              "settings.%s: unknown; the resolver jlama takes %s and %s"
                  .formatted(name, WORKING_DTYPE, QUANTISED_DTYPE));
        }
      }
      String working = text(settings, WORKING_DTYPE);
      Dtype dtype =
          Dtype.named(working)
              .filter(d -> d == Dtype.F32 || d == Dtype.BF16)
              .orElseThrow(
                  () ->
                      new FormatException(
                          "settings.%s: \"%s\" is no type of Jlama's pages; give f32 or bf16"
                              .formatted(WORKING_DTYPE, working)));
      return new Settings(dtype, text(settings, QUANTISED_DTYPE));
    }

    String activations() {
      return working.wireName().equals(quantised)
          ? quantised
          : working.wireName() + "/" + quantised;
    }

    private static String text(Map<String, Object> settings, String name) {
      if (settings.get(name) instanceof String value && !value.isBlank()) {
        return value.toLowerCase(Locale.ROOT);
      }
      throw new FormatException(
          "settings.%s: %s; give the type that Jlama was loaded with, as in f32"
              .formatted(name, settings.containsKey(name) ? settings.get(name) : "missing"));
    }
  }
}

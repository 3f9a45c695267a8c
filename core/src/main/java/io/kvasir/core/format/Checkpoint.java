package io.kvasir.core.format;

import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.FormatException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What a checkpoint says of types: what it computes with, how its weights are quantised, and how K
 * and V are to be stored, which its files spell in four ways.
 */
final class Checkpoint {
  private static final Map<String, Dtype> DTYPES =
      Map.of(
          "bfloat16",
          Dtype.BF16,
          "float16",
          Dtype.F16,
          "half",
          Dtype.F16,
          "float32",
          Dtype.F32,
          "float",
          Dtype.F32);

  private static final List<String> KV_NAMES = List.of("kv_cache_scheme", "kv_cache_quant_algo");

  private final NormalConfig config;
  private final ModelFiles files;

  Checkpoint(NormalConfig config, ModelFiles files) {
    this.config = config;
    this.files = files;
  }

  /** {@return the type that the engine computes with: its own setting, else the checkpoint's} */
  Dtype dtype(Settings settings) {
    if (settings.decides("dtype")) {
      return dtype("settings.dtype", settings.fields().text("dtype"));
    }
    String name = config.dtype().orElse(null);
    Dtype dtype = name == null ? null : dtype(files.place() + "dtype", name);
    if (dtype == null || dtype == Dtype.F32) {
      throw FormatException.missing(
          "dtype",
          files.place()
              + (dtype == null
                  ? "dtype: missing, and engines differ in what they take then"
                  : "dtype: \"%s\", of which engines compute in another type".formatted(name))
              + "; give the setting dtype: bfloat16, float16 or float32");
    }
    return dtype;
  }

  static Dtype dtype(String place, String name) {
    Dtype dtype = DTYPES.get(name);
    if (dtype == null) {
      throw new FormatException(
          "%s: \"%s\" is none of bfloat16, float16, float32".formatted(place, name));
    }
    return dtype;
  }

  /** {@return the weights as loaded: the checkpoint's quantisation, the engine's own beside it} */
  String weights(Settings settings, Dtype dtype) {
    String own = quantization().map(Checkpoint::describe).orElse(null);
    if (own == null && files.quantization().isPresent()) {
      Fields q = hfQuant();
      own = q.isNull("quant_algo") ? null : "modelopt-" + lower(q.text("quant_algo"));
    }
    String asked = settings.text("quantization", null);
    if (own != null) {
      return asked == null || own.startsWith(asked) ? own : own + "/" + asked;
    }
    return asked == null ? dtype.wireName() : "online-" + asked;
  }

  private static String describe(Fields q) {
    String method = lower(q.isNull("quant_method") ? "modelopt" : q.text("quant_method"));
    StringBuilder out = new StringBuilder(method);
    if (q.get("bits") instanceof Number) {
      out.append("-int").append(q.integer("bits", 1, 16));
    }
    if (q.get("group_size") instanceof Number g) {
      out.append("/g").append(g);
    }
    return out.toString();
  }

  /**
   * {@return vLLM's name of the KV type that the checkpoint asks for, if it does}
   *
   * @throws FormatException if its files contradict each other, or ask for what is not understood
   */
  Optional<String> kvType() {
    List<Optional<String>> said = new ArrayList<>();
    quantization().ifPresent(Checkpoint::refuseOthers);
    quantization().filter(q -> q.has("kv_cache_scheme")).ifPresent(q -> said.add(scheme(q)));
    if (config.text().has("kv_cache_scheme")) {
      said.add(scheme(config.text()));
    }
    quantization().filter(q -> q.has("kv_cache_quant_algo")).ifPresent(q -> said.add(algorithm(q)));
    if (files.quantization().isPresent() && hfQuant().has("kv_cache_quant_algo")) {
      said.add(algorithm(hfQuant()));
    }
    if (said.stream().distinct().count() > 1) {
      throw new FormatException(
          "kv_cache_scheme: the checkpoint's files contradict each other (%s); give the setting kv_cache_dtype"
              .formatted(
                  String.join(", ", said.stream().map(s -> s.orElse("not quantised")).toList())));
    }
    return said.isEmpty() ? Optional.empty() : said.getFirst();
  }

  /** What else a file says of the KV cache, nobody here understands. */
  private static void refuseOthers(Fields q) {
    q.json()
        .forEach(
            (name, value) -> {
              boolean known = KV_NAMES.contains(name) || !name.contains("kv_cache");
              boolean nothing = value == null || value.equals(false) || List.of().equals(value);
              if (!known && !nothing) {
                throw q.error(
                    name,
                    "%s is not understood; give the setting kv_cache_dtype, or declare the format with the resolver \"explicit\""
                        .formatted(Fields.show(value)));
              }
            });
  }

  private Optional<Fields> quantization() {
    Fields root = new Fields(files.place(), config.tree());
    if (!root.isNull("quantization_config")) {
      return Optional.of(root.object("quantization_config"));
    }
    return config.text().isNull("quantization_config")
        ? Optional.empty()
        : Optional.of(config.text().object("quantization_config"));
  }

  private Fields hfQuant() {
    return new Fields("hf_quant_config.json: ", files.quantization().orElseThrow())
        .object("quantization");
  }

  private static Optional<String> algorithm(Fields q) {
    if (q.isNull("kv_cache_quant_algo")) {
      return Optional.empty();
    }
    return fp8(q, "kv_cache_quant_algo", q.text("kv_cache_quant_algo"));
  }

  private static Optional<String> fp8(Fields q, String name, String algorithm) {
    if (!lower(algorithm).equals("fp8")) {
      throw q.error(
          name,
          "\"%s\" is not understood (FP8 is); give the setting kv_cache_dtype, or declare the format with the resolver \"explicit\""
              .formatted(algorithm));
    }
    return Optional.of("fp8");
  }

  private static Optional<String> scheme(Fields q) {
    if (q.isNull("kv_cache_scheme")) {
      return Optional.empty();
    }
    if (q.get("kv_cache_scheme") instanceof String s) {
      return fp8(q, "kv_cache_scheme", s);
    }
    Fields s = q.object("kv_cache_scheme");
    if (!s.isNull("dynamic") && !Boolean.FALSE.equals(s.get("dynamic"))) {
      throw s.error(
          "dynamic",
          "scales are computed at run time and do not lie in the block, so no block can be shared;"
              + " give the setting kv_cache_dtype if the engine stores another type");
    }
    boolean understood =
        Fields.same(s.get("num_bits"), 8)
            && "float".equals(s.get("type"))
            && (s.isNull("strategy") || "tensor".equals(s.get("strategy")))
            && (s.isNull("symmetric") || Boolean.TRUE.equals(s.get("symmetric")));
    if (!understood) {
      throw q.error(
          "kv_cache_scheme",
          "is not the static fp8 per tensor that is understood; give the setting kv_cache_dtype, or"
              + " declare the format with the resolver \"explicit\"");
    }
    return Optional.of("fp8");
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}

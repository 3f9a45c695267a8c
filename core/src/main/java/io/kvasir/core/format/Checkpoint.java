package io.kvasir.core.format;

import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import io.kvasir.api.format.ModelConfiguration;
import io.kvasir.api.identity.IdentityException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A model as published, and what its files say of types: what it computes with, how its weights are
 * quantised, and how K and V are to be stored, which they spell in four ways.
 *
 * @param config the normalised configuration
 * @param files the files
 */
record Checkpoint(NormalConfig config, ModelFiles files) {
  private static final Fields NOTHING = new Fields("", Map.of());
  private static final String SCHEME = "kv_cache_scheme";
  private static final String ALGORITHM = "kv_cache_quant_algo";
  private static final String GIVE_TYPE = "; give the setting kv_cache_dtype";
  private static final String WAYS_OUT =
      GIVE_TYPE + ", or declare the format with the resolver \"explicit\"";

  static Checkpoint read(ModelFiles files, Settings settings) {
    try {
      return new Checkpoint(NormalConfig.of(files.place(), files.config(), settings), files);
    } catch (IdentityException e) { // a number of an override that no JSON file may hold
      throw new FormatException(files.place() + e.getMessage(), e);
    }
  }

  /** {@return the format, checked} */
  KvFormat format(
      String engine, String layout, Dtype dtype, List<KvGroup> groups, Settings settings) {
    KvFormat format =
        KvFormat.of(
                configuration(),
                new KvFormat.Compute(weights(settings, dtype), dtype.wireName()),
                engine,
                layout,
                groups,
                settings.shards())
            .withNumerics(settings.text("numerics", "any"));
    FormatBounds.check(format);
    return format;
  }

  /**
   * The quantisation file decides types as much as the configuration does; its producer does not.
   */
  private ModelConfiguration configuration() {
    Map<String, Object> tree = new LinkedHashMap<>(config.tree());
    files
        .quantization()
        .ifPresent(
            q -> {
              Map<String, Object> rest = new LinkedHashMap<>(q);
              rest.remove("producer");
              tree.put("hf_quant_config.json", rest);
            });
    try {
      return ModelConfiguration.of(tree);
    } catch (IdentityException e) {
      throw new FormatException(files.place() + e.getMessage(), e);
    }
  }

  /** {@return the type that the engine computes with: its own setting, else the checkpoint's} */
  Dtype dtype(Settings settings) {
    Dtype asked = settings.dtype("dtype", null);
    if (asked != null) {
      return asked;
    }
    String name = config.dtype();
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
    if (Tables.of(Tables.COMMON, "dtypes").get(name) instanceof String own) {
      return Dtype.named(own).orElseThrow();
    }
    throw new FormatException(
        "%s: \"%s\" is none of bfloat16, float16, float32".formatted(place, name));
  }

  /** {@return the weights as loaded: the checkpoint's quantisation, the engine's own beside it} */
  private String weights(Settings settings, Dtype dtype) {
    String own = quantization().map(Checkpoint::describe).orElse(null);
    if (own == null && !hfQuant().isNull("quant_algo")) {
      own = "modelopt-" + lower(hfQuant().text("quant_algo"));
    }
    String asked = settings.text("quantization", null);
    if (asked == null) {
      return own == null ? dtype.wireName() : own;
    }
    return own == null ? "online-" + asked : own.startsWith(asked) ? own : own + "/" + asked;
  }

  private static String describe(Fields q) {
    return lower(q.isNull("quant_method") ? "modelopt" : q.text("quant_method"))
        + (q.get("bits") instanceof Number ? "-int" + q.integer("bits", 1, 16) : "")
        + (q.get("group_size") instanceof Number g ? "/g" + g : "");
  }

  /**
   * {@return vLLM's name of the KV type that the checkpoint asks for; {@code auto} if it does not}
   *
   * @throws FormatException if its files contradict each other, or ask for what is not understood
   */
  String kvType() {
    Fields q = quantization().orElse(NOTHING);
    for (Map.Entry<String, Object> each : q.json().entrySet()) {
      refuseOther(q, each.getKey(), each.getValue());
    }
    List<String> said = new ArrayList<>();
    said.add(said(q, SCHEME));
    said.add(said(config.text(), SCHEME));
    said.add(said(q, ALGORITHM));
    said.add(said(hfQuant(), ALGORITHM));
    said.removeAll(List.of(""));
    if (Set.copyOf(said).size() > 1) {
      throw new FormatException(
          "kv_cache_scheme: the checkpoint's files contradict each other (%s)%s"
              .formatted(String.join(", ", said).replace("auto", "not quantised"), GIVE_TYPE));
    }
    return said.isEmpty() ? "auto" : said.getFirst();
  }

  /** What else a file says of the KV cache, nobody here understands. */
  private static void refuseOther(Fields q, String name, Object value) {
    boolean known = List.of(SCHEME, ALGORITHM).contains(name) || !name.contains("kv_cache");
    boolean nothing = value == null || value.equals(false) || List.of().equals(value);
    if (!known && !nothing) {
      throw q.error(name, "%s is not understood" + WAYS_OUT, Fields.show(value));
    }
  }

  /** {@return {@code fp8}, {@code auto} where it is not quantised, or nothing} */
  private static String said(Fields q, String name) {
    if (q.isNull(name)) {
      return q.has(name) ? "auto" : "";
    }
    if (name.equals(SCHEME) && !(q.get(name) instanceof String)) {
      q.object(name).only(Tables.of(Tables.COMMON, SCHEME));
    } else if (!lower(q.text(name)).equals("fp8")) {
      throw q.error(name, "\"%s\" is not understood (FP8 is)" + WAYS_OUT, q.text(name));
    }
    return "fp8";
  }

  private Optional<Fields> quantization() {
    String name = "quantization_config";
    Fields root = new Fields(files.place(), config.tree());
    Fields owner = root.isNull(name) ? config.text() : root;
    return owner.isNull(name) ? Optional.empty() : Optional.of(owner.object(name));
  }

  private Fields hfQuant() {
    return files
        .quantization()
        .map(q -> new Fields("hf_quant_config.json: ", q).object("quantization"))
        .orElse(NOTHING);
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}

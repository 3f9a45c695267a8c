package io.kvasir.api.identity;

import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import io.kvasir.api.format.ModelConfiguration;
import io.kvasir.api.format.Shards;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The deployment of the committed vectors, and trees that differ from it. */
final class Samples {
  static final String COMMIT = "7ae557604adf67be50417f59c2c2f167def9a775";
  static final String DIGEST = "sha256:" + "ab".repeat(32);

  /** As published in the vectors. */
  static final String NAMESPACE_ID =
      "6396ed79dc2b22346c67864751e428d1e721fc55383d626facc65b355f312a48";

  private Samples() {}

  static KvFormat format() {
    Map<String, Object> config = new LinkedHashMap<>();
    config.put("model_type", "qwen2");
    config.put("num_hidden_layers", 24);
    config.put("hidden_size", 896);
    config.put("num_attention_heads", 14);
    config.put("num_key_value_heads", 2);
    config.put("head_dim", 64);
    config.put("rms_norm_eps", 1e-06);
    config.put("rope", Map.of("type", "default", "theta", 1000000.0));
    config.put("sliding_window", null);
    config.put("tie_word_embeddings", true);
    return KvFormat.of(
        ModelConfiguration.of(config),
        new KvFormat.Compute("bf16", "bf16"),
        "lmdeploy-pytorch",
        "layer-kv-token-head/1",
        List.of(KvGroup.full(0, 64, IntStream.range(0, 24).boxed().toList(), 2, 64, Dtype.BF16)),
        new Shards.KvHead(2));
  }

  static NamespaceManifest manifest() {
    return NamespaceManifest.of(
        "acme", Weights.commit("Qwen/Qwen2.5-0.5B-Instruct", COMMIT), format());
  }

  /** {@return the sample's tree with another value at a path of names and indices} */
  @SuppressWarnings("unchecked") // the root of a manifest is an object
  static Map<String, Object> with(Object value, Object... path) {
    return (Map<String, Object>) with(manifest().json(), value, Arrays.asList(path));
  }

  static Object with(Object node, Object value, List<Object> path) {
    if (path.isEmpty()) {
      return value;
    }
    List<Object> rest = path.subList(1, path.size());
    if (node instanceof List<?> list) {
      List<Object> out = new java.util.ArrayList<>(list);
      int index = (Integer) path.getFirst();
      out.set(index, with(list.get(index), value, rest));
      return out;
    }
    Map<String, Object> out = new LinkedHashMap<>();
    ((Map<?, ?>) node).forEach((n, v) -> out.put((String) n, v));
    String name = (String) path.getFirst();
    out.put(name, with(out.get(name), value, rest));
    return out;
  }

  /** {@return the sample's tree without a name} */
  @SuppressWarnings("unchecked") // the root of a manifest is an object
  static Map<String, Object> without(Object... path) {
    Map<String, Object> out = with("", path);
    Map<String, Object> node = out;
    for (int i = 0; i < path.length - 1; i++) {
      node =
          (Map<String, Object>)
              (path[i + 1] instanceof Integer index
                  ? ((List<Object>) node.get(path[i++])).get(index)
                  : node.get(path[i]));
    }
    node.remove(path[path.length - 1]);
    return out;
  }
}

package io.kvasir.api.identity;

import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.GroupKind;
import io.kvasir.api.format.HitRule;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import io.kvasir.api.format.ModelConfiguration;
import io.kvasir.api.format.Quantization;
import io.kvasir.api.format.Shards;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The manifest as a JSON tree: the names of identity.md, each of them present, none beside them.
 */
final class ManifestJson {
  private static final String DTYPES =
      Arrays.stream(Dtype.values()).map(Dtype::wireName).collect(Collectors.joining(", "));

  private ManifestJson() {}

  static Map<String, Object> write(String tenant, Weights weights, KvFormat format) {
    Map<String, Object> semantic = new LinkedHashMap<>();
    semantic.put("weights", weights.json());
    semantic.put("config", format.config().digest());
    semantic.put("compute", format.compute().json());
    Map<String, Object> representation = new LinkedHashMap<>();
    representation.put("engine", format.engine());
    representation.put("layout", format.layout());
    representation.put("byte_order", format.byteOrder());
    representation.put("hashing", format.hashing());
    representation.put("numerics", format.numerics());
    representation.put("groups", format.groups().stream().map(KvGroup::json).toList());
    representation.put("shards", format.shards().json());
    representation.put("extensions", format.extensions());
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("schema", NamespaceManifest.SCHEMA);
    out.put("tenant", tenant);
    out.put("semantic", semantic);
    out.put("representation", representation);
    return out;
  }

  /** What a manifest says. */
  record Parts(String tenant, Weights weights, KvFormat format) {}

  static Parts read(Map<String, Object> json) {
    Fields f = new Fields("", json);
    if (!f.text("schema").equals(NamespaceManifest.SCHEMA)) {
      throw f.wrong("schema", "\"" + NamespaceManifest.SCHEMA + "\"");
    }
    String tenant = f.text("tenant");
    Fields s = f.object("semantic");
    Weights weights = Weights.of(s.object("weights").json());
    String config = Text.sha256("semantic.config", s.text("config"));
    Fields c = s.object("compute");
    KvFormat.Compute compute = new KvFormat.Compute(c.text("weights"), c.text("activations"));
    c.end();
    s.end();
    Fields r = f.object("representation");
    KvFormat format =
        new KvFormat(
            ModelConfiguration.known(config),
            compute,
            r.text("engine"),
            r.text("layout"),
            r.text("byte_order"),
            r.text("hashing"),
            r.text("numerics"),
            groups(r),
            shards(r.object("shards")),
            new TreeMap<>(r.object("extensions").json()));
    r.end();
    f.end();
    return new Parts(tenant, weights, format);
  }

  private static List<KvGroup> groups(Fields representation) {
    List<KvGroup> out = new ArrayList<>();
    int index = 0;
    for (Object item : representation.list("groups")) {
      Fields g = new Fields(representation.at("groups[" + index + "]"), item);
      if (g.integer("id") != index++) {
        throw g.wrong("id", "its place in the list of groups");
      }
      out.add(group(g));
    }
    return out;
  }

  private static KvGroup group(Fields g) {
    KvGroup out =
        new KvGroup(
            g.integer("id"),
            GroupKind.named(g.text("kind")).orElseThrow(() -> g.wrong("kind", "a known kind")),
            hit(g),
            g.integer("block_tokens"),
            g.integerOrNull("window"),
            g.integerOrNull("ratio"),
            g.longOrNull("state_bytes"),
            layers(g),
            g.integerOrNull("kv_heads"),
            g.integerOrNull("k_dim"),
            g.integerOrNull("v_dim"),
            dtype(g, "k_dtype"),
            dtype(g, "v_dtype"),
            quant(g));
    g.end();
    return out;
  }

  private static HitRule hit(Fields g) {
    if (g.any("hit") instanceof String s) {
      if (!s.equals("all")) {
        throw g.wrong("hit", "\"all\" or {\"trailing\":n}");
      }
      return HitRule.ALL;
    }
    Fields h = g.object("hit");
    if (h.integer("trailing") < 1) {
      throw h.wrong("trailing", "at least 1");
    }
    HitRule rule = HitRule.trailing(h.integer("trailing"));
    h.end();
    return rule;
  }

  private static List<Integer> layers(Fields g) {
    List<Integer> out = new ArrayList<>();
    for (Object item : g.list("layers")) {
      if (!(item instanceof Number n) || n.doubleValue() != n.intValue() || n.intValue() < 0) {
        throw g.wrong("layers", "an array of layer indices");
      }
      if (!out.isEmpty() && n.intValue() <= out.getLast()) {
        throw g.wrong("layers", "an array of layer indices in ascending order");
      }
      out.add(n.intValue());
    }
    return out;
  }

  private static Dtype dtype(Fields g, String name) {
    String text = g.textOrNull(name);
    return text == null
        ? null
        : Dtype.named(text)
            .orElseThrow(() -> g.wrong(name, "a known data type; there are " + DTYPES));
  }

  private static Quantization quant(Fields g) {
    if (g.any("quant") == null) {
      return null;
    }
    Fields q = g.object("quant");
    Quantization out = new Quantization(scheme(q.object("k")), scheme(q.object("v")));
    q.end();
    return out;
  }

  private static Quantization.Scheme scheme(Fields q) {
    Fields s = q.object("scales");
    Quantization.Scales scales = new Quantization.Scales(s.text("in"), s.textOrNull("digest"));
    if (scales.inBlock() ? scales.digest() != null : !scales.in().equals("engine")) {
      throw q.wrong("scales", "in the block without a digest, or in the engine with one");
    }
    if (!scales.inBlock()) {
      Text.sha256(s.at("digest"), scales.digest());
    }
    s.end();
    Quantization.Scheme out =
        new Quantization.Scheme(
            q.text("scheme"),
            q.integer("bits"),
            q.text("axis"),
            q.integerOrNull("group_size"),
            q.flag("symmetric"),
            dtype(q, "scale_dtype"),
            q.textOrNull("packing"),
            scales);
    q.end();
    return out;
  }

  private static Shards shards(Fields s) {
    Shards out =
        switch (s.text("scheme")) {
          case "kv-head" -> new Shards.KvHead(s.integer("count"));
          case "rank" -> new Shards.Rank(s.integer("tp"), s.integer("pp"));
          default -> throw s.wrong("scheme", "\"kv-head\" or \"rank\"");
        };
    s.end();
    return out;
  }
}

package io.kvasir.core.identity;

import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import io.kvasir.api.format.ModelConfiguration;
import io.kvasir.api.format.Shards;
import io.kvasir.api.identity.ContentItem;
import io.kvasir.api.identity.KeyChain;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.Weights;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The golden values of identity.json, which the independent reference.py made. */
final class Vectors {
  static final Map<String, Object> ALL = read();

  private Vectors() {}

  private static Map<String, Object> read() {
    try (InputStream in = Vectors.class.getResourceAsStream("identity.json")) {
      return StrictJson.object("identity.json", in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @SuppressWarnings("unchecked") // the shape of a committed file
  static Map<String, Object> object(Object node) {
    return (Map<String, Object>) node;
  }

  static Map<String, Object> object(String name) {
    return object(ALL.get(name));
  }

  static List<?> list(Object node) {
    return (List<?>) node;
  }

  static String text(String name) {
    return (String) ALL.get(name);
  }

  static int integer(Object node) {
    return Math.toIntExact((Long) node);
  }

  static int[] tokens(Object node) {
    return list(node).stream().mapToInt(Vectors::integer).toArray();
  }

  static byte[] hex(Object node) {
    return HexFormat.of().parseHex((String) node);
  }

  static int[] prompt() {
    return tokens(ALL.get("prompt"));
  }

  /** The deployment of the vectors, made as an engine makes it. */
  static NamespaceManifest manifest() {
    return NamespaceManifest.of("acme", base(), format());
  }

  static Weights base() {
    return Weights.commit("Qwen/Qwen2.5-0.5B-Instruct", "7ae557604adf67be50417f59c2c2f167def9a775");
  }

  static KvFormat format() {
    return KvFormat.of(
        ModelConfiguration.of(object("config")),
        new KvFormat.Compute("bf16", "bf16"),
        "lmdeploy-pytorch",
        "layer-kv-token-head/1",
        List.of(group(64, Dtype.BF16)),
        new Shards.KvHead(2));
  }

  static KvGroup group(int blockTokens, Dtype dtype) {
    return KvGroup.full(0, blockTokens, IntStream.range(0, 24).boxed().toList(), 2, 64, dtype);
  }

  static NamespaceManifest manifestOf(Object canonical) {
    return NamespaceManifest.of(
        StrictJson.object(
            "vector", ((String) canonical).getBytes(java.nio.charset.StandardCharsets.UTF_8)));
  }

  static ContentItem item(int blockStart, Map<String, Object> item) {
    return new ContentItem(
        blockStart + integer(item.get("offset")),
        integer(item.get("span")),
        (String) item.get("kind"),
        hex(item.get("digest")));
  }

  static List<String> hashes(KeyChain chain) {
    return IntStream.range(0, chain.blocks())
        .mapToObj(i -> HexFormat.of().formatHex(chain.hash(i)))
        .toList();
  }
}

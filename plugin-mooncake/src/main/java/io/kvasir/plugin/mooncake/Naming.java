package io.kvasir.plugin.mooncake;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.StoreException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * What the keys of a namespace begin with and what stands under them. A key is this beginning and
 * the hash of its block in 64 hexadecimal digits.
 */
sealed interface Naming {
  /** {@return what the keys of a batch begin with, in UTF-8} */
  byte[] prefix(BlockKeys keys);

  /** {@return the bytes behind the payload in each value} */
  int trailerBytes();

  /** {@return the naming of a namespace, by the schema of its manifest} */
  static Naming of(NamespaceManifest manifest) throws StoreException {
    Map<String, String> fields = fields(manifest.canonical());
    String schema = fields.getOrDefault("schema", "");
    if (schema.equals(NamespaceManifest.SCHEMA)) {
      return new Strict();
    }
    if (schema.equals("kvasir/policy/lmdeploy-v1/1")) {
      return Lmdeploy.of(fields.get("model"), fields.getOrDefault("cache_prefix", ""));
    }
    if (schema.startsWith("kvasir/policy/")) {
      return new Strict(); // of a policy that shares namespaces: the hashes are its business
    }
    throw new StoreException(
        StoreException.Kind.MISMATCH,
        "%s: its schema \"%s\" is unknown".formatted(manifest, schema));
  }

  private static Map<String, String> fields(byte[] json) {
    Map<String, String> fields = new HashMap<>();
    try (JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), json)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        String name = parser.currentName();
        if (parser.nextToken() == JsonToken.VALUE_STRING) {
          fields.put(name, parser.getString());
        } else {
          parser.skipChildren();
        }
      }
    }
    return fields;
  }

  /** {@return what everything of a strict namespace begins with} */
  static String namespacePrefix(NamespaceId id) {
    return "kv1:" + id.prefix() + ":";
  }

  /** Our own keys: {@code kv1:<namespace>:g<group>:s<shard>:<hash>}, guarded by {@link Trailer}. */
  record Strict() implements Naming {
    @Override
    public byte[] prefix(BlockKeys keys) {
      // no String.format: in some locales it writes digits that are not 0 to 9
      String prefix =
          namespacePrefix(keys.namespace().id()) + "g" + keys.group() + ":s" + keys.shard() + ":";
      return prefix.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public int trailerBytes() {
      return Trailer.BYTES;
    }
  }

  /**
   * The keys of LMDeploy's Mooncake connector, {@code [cache_prefix@]model@tp_rank:R@group:0@hash},
   * over raw values: the rows of a block in the order in which the engine registered its memory,
   * guarded by their size alone.
   *
   * @param beginning with the {@code @} before {@code tp_rank}
   */
  record Lmdeploy(String beginning) implements Naming {
    private static Lmdeploy of(String model, String cachePrefix) throws StoreException {
      String beginning = (cachePrefix.isEmpty() ? "" : cachePrefix + "@") + model + "@";
      if (beginning.indexOf('\0') >= 0) {
        throw new StoreException(
            StoreException.Kind.CONFIGURATION,
            "identity.model or identity.cache_prefix holds a NUL, where Mooncake would cut the"
                + " key");
      }
      return new Lmdeploy(beginning);
    }

    @Override
    public byte[] prefix(BlockKeys keys) {
      return (beginning + "tp_rank:" + keys.shard() + "@group:0@").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public int trailerBytes() {
      return 0;
    }
  }
}

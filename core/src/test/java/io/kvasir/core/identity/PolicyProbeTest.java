package io.kvasir.core.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.kvasir.api.KvasirException;
import io.kvasir.api.identity.BlockHasher;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.ChainHasher;
import io.kvasir.api.identity.IdentityPolicy;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class PolicyProbeTest {
  /**
   * Two groups, quantised, windowed, with rank shards and an extension: every field has a value.
   */
  private static final NamespaceManifest RICH =
      NamespaceManifest.of(
          StrictJson.object(
              "rich",
              ("{\"schema\":\"kvasir/namespace/1\",\"tenant\":\"acme\",\"semantic\":{\"weights\":"
                   + "{\"kind\":\"delta\",\"previous\":\"HEX\",\"run\":\"r-1\",\"update\":\"u-1\"},"
                   + "\"config\":\"sha256:HEX\",\"compute\":{\"weights\":\"bf16\","
                   + "\"activations\":\"f32\"}},\"representation\":{\"engine\":\"e\","
                   + "\"layout\":\"l/1\",\"byte_order\":\"little\",\"hashing\":\"kvasir/1\","
                   + "\"numerics\":\"any\",\"groups\":[{\"id\":0,\"kind\":\"sliding\",\"hit\":"
                   + "{\"trailing\":64},\"block_tokens\":16,\"window\":64,\"ratio\":4,"
                   + "\"state_bytes\":4096,\"layers\":[0,2,5],\"kv_heads\":2,\"k_dim\":64,"
                   + "\"v_dim\":32,\"k_dtype\":\"bf16\",\"v_dtype\":\"f16\",\"quant\":{\"k\":"
                   + "{\"scheme\":\"int\",\"bits\":4,\"axis\":\"group\",\"group_size\":32,"
                   + "\"symmetric\":false,\"scale_dtype\":\"f16\",\"packing\":\"low\",\"scales\":"
                   + "{\"in\":\"engine\",\"digest\":\"sha256:HEX\"}},\"v\":{\"scheme\":\"fp8\","
                   + "\"bits\":8,\"axis\":\"tensor\",\"group_size\":8,\"symmetric\":true,"
                   + "\"scale_dtype\":\"f32\",\"packing\":\"p\",\"scales\":{\"in\":\"block\","
                   + "\"digest\":null}}}},{\"id\":1,\"kind\":\"full\",\"hit\":\"all\","
                   + "\"block_tokens\":32,\"window\":null,\"ratio\":null,\"state_bytes\":null,"
                   + "\"layers\":[1],\"kv_heads\":2,\"k_dim\":64,\"v_dim\":32,\"k_dtype\":\"bf16\","
                   + "\"v_dtype\":\"bf16\",\"quant\":null}],\"shards\":{\"scheme\":\"rank\","
                   + "\"tp\":2,\"pp\":3},\"extensions\":{\"acme.codec\":{\"name\":\"zstd\","
                   + "\"level\":3,\"fast\":true,\"tags\":[\"a\",\"b\"]}}}}")
                  .replace("HEX", "ab".repeat(32))
                  .getBytes(java.nio.charset.StandardCharsets.UTF_8)));

  /** What the schema does not let change alone. */
  private static final Set<String> FIXED =
      Set.of(
          "schema",
          "semantic",
          "semantic.compute",
          "semantic.weights.kind",
          "representation",
          "representation.groups[]",
          "representation.groups[].id",
          "representation.groups[].quant.k.scales.in",
          "representation.groups[].quant.v.scales.in",
          "representation.groups[].quant.v.scales.digest",
          "representation.shards.scheme");

  private static final String G = "representation.groups[].";

  @Test
  void strictMissesNothing() {
    assertEquals(List.of(), PolicyProbe.missing(new StrictPolicy(), Vectors.manifest()));
    assertEquals(List.of(), PolicyProbe.missing(new StrictPolicy(), RICH));
    assertEquals(List.of(), PolicyProbe.check(new StrictPolicy(), RICH, false));
  }

  @Test
  void everyFieldThatCanChangeAloneIsChanged() {
    Set<String> all = new LinkedHashSet<>();
    fields("", RICH.json(), all);
    Set<String> unchanged = new LinkedHashSet<>(all);
    for (Mutations.Mutation m : Mutations.of(RICH.json())) {
      if (reads(m)) {
        unchanged.remove(m.field());
      }
    }
    unchanged.removeAll(FIXED);
    assertEquals(Set.of(), unchanged);
    assertTrue(all.size() > 50, () -> all.size() + " fields");
  }

  private static boolean reads(Mutations.Mutation m) {
    try {
      return !NamespaceManifest.of(m.json()).equals(RICH);
    } catch (KvasirException e) {
      return false;
    }
  }

  private static void fields(String at, Object value, Set<String> out) {
    if (!at.isEmpty()) {
      out.add(at);
    }
    if (value instanceof Map<?, ?> map) {
      map.forEach((n, v) -> fields(at.isEmpty() ? (String) n : at + "." + n, v, out));
    } else if (value instanceof List<?> list && !at.endsWith("layers")) {
      list.forEach(v -> fields(at + "[]", v, out));
    }
  }

  /** For each field of the manifest a policy that forgets it alone. */
  @TestFactory
  Stream<DynamicTest> aPolicyThatForgetsAFieldIsCaughtByItsName() {
    Set<String> all = new LinkedHashSet<>();
    fields("", RICH.json(), all);
    all.removeAll(FIXED);
    return all.stream()
        .map(
            field ->
                dynamicTest(
                    field,
                    () -> {
                      List<String> missing = PolicyProbe.missing(new Forgetful(field), RICH);
                      assertTrue(missing.contains(field), missing::toString);
                      for (String name : missing) {
                        assertTrue(
                            name.startsWith(field) || field.startsWith(name), missing::toString);
                      }
                    }));
  }

  /** Strict, but for one field of the manifest. */
  private record Forgetful(String field) implements IdentityPolicy {
    @Override
    public String name() {
      return "forgetful";
    }

    @Override
    public IdentityPolicy configured(Map<String, Object> settings) {
      return this;
    }

    @Override
    public NamespaceManifest namespace(NamespaceManifest deployment) {
      return deployment.reduced(name(), Vectors.object(without("", deployment.json())));
    }

    private Object without(String at, Object value) {
      if (at.equals(field)) {
        return "?";
      }
      if (value instanceof Map<?, ?> map) {
        Map<String, Object> out = new LinkedHashMap<>();
        map.forEach(
            (n, v) -> out.put((String) n, without(at.isEmpty() ? (String) n : at + "." + n, v)));
        return out;
      }
      if (value instanceof List<?> list) {
        List<Object> out = new ArrayList<>();
        list.forEach(v -> out.add(without(at + "[]", v)));
        return out;
      }
      return value;
    }

    @Override
    public BlockHasher hasher(NamespaceManifest namespace, RequestScope scope) {
      return new ChainHasher(namespace.id(), scope);
    }

    @Override
    public String key(BlockKeys keys, int block) {
      return keys.flatKey(block);
    }
  }

  @Test
  void lmdeployMissesWhatTheReportSaysAndMore() {
    NamespaceManifest d = Vectors.manifest().withLabels(Map.of("model", "Qwen2.5-0.5B-Instruct"));
    assertEquals(
        List.of(
            "representation.byte_order",
            "representation.engine",
            "representation.extensions",
            G + "hit",
            G + "k_dim",
            G + "k_dtype",
            G + "kind",
            G + "kv_heads",
            G + "layers",
            G + "layers[]",
            G + "quant",
            G + "ratio",
            G + "state_bytes",
            G + "v_dim",
            G + "v_dtype",
            G + "window",
            "representation.hashing",
            "representation.layout",
            "representation.numerics",
            "representation.shards",
            "representation.shards.count",
            "semantic.compute.activations",
            "semantic.compute.weights",
            "semantic.config",
            "semantic.weights",
            "semantic.weights.commit",
            "semantic.weights.model",
            "tenant"),
        PolicyProbe.missing(new LmdeployV1Policy(), d));
  }

  @Test
  void aPolicyThatTakesAwayIsRefusedUnlessItIsToBeUnsafe() {
    IdentityPolicy policy = new Forgetful("tenant");
    assertEquals(
        "identity.policy: \"forgetful\" gives equal keys to deployments or requests that differ in"
            + " tenant; use \"strict\", or write \"unsafe\": true to let them read each other's"
            + " blocks",
        assertThrows(KvasirException.class, () -> PolicyProbe.check(policy, RICH, false))
            .getMessage());
    assertEquals(List.of("tenant"), PolicyProbe.check(policy, RICH, true));
  }

  @TestFactory
  Stream<DynamicTest> aPolicyThatForgetsAPartOfScopeOrChainIsCaught() {
    Map<String, Broken> broken = new LinkedHashMap<>();
    Function<RequestScope, RequestScope> same = s -> s;
    Hash real = ChainHasher::hash;
    broken.put("scope.salt", new Broken(s -> new RequestScope(s.modifiers(), null), real));
    broken.put("scope.modifiers", new Broken(s -> new RequestScope(List.of(), s.salt()), real));
    broken.put(
        "scope.modifiers[].digest",
        new Broken(
            s ->
                new RequestScope(
                    s.modifiers().stream()
                        .map(m -> new RequestScope.Modifier(m.kind(), "sha256:" + "0".repeat(64)))
                        .toList(),
                    s.salt()),
            real));
    broken.put(
        "scope.modifiers[].kind",
        new Broken(
            s ->
                new RequestScope(
                    s.modifiers().stream()
                        .map(m -> new RequestScope.Modifier("any", m.digest()))
                        .toList(),
                    s.salt()),
            real));
    broken.put("tokens", new Broken(same, (h, p, t, f, n, i) -> h.hash(p, new int[n], 0, n, i)));
    broken.put(
        "tokens of the blocks before",
        new Broken(same, (h, p, t, f, n, i) -> h.hash(null, t, f, n, i)));
    broken.put(
        "block boundary",
        new Broken(
            same,
            (h, p, t, f, n, i) -> {
              byte[] at = p; // token by token: the same however it is cut
              for (int k = f; k < f + n; k++) {
                at = h.hash(at, t, k, 1, List.of());
              }
              return at;
            }));
    broken.put("content", new Broken(same, (h, p, t, f, n, i) -> h.hash(p, t, f, n, List.of())));
    broken.put("content.digest", items("digest"));
    broken.put("content.kind", items("kind"));
    broken.put("content.span", items("span"));
    broken.put("content.position", items("position"));
    return broken.entrySet().stream()
        .map(
            e ->
                dynamicTest(
                    e.getKey(),
                    () -> {
                      List<String> missing = PolicyProbe.missing(e.getValue(), RICH);
                      assertTrue(missing.contains(e.getKey()), missing::toString);
                    }));
  }

  private static Broken items(String forgotten) {
    return new Broken(
        s -> s,
        (h, p, t, f, n, items) ->
            h.hash(
                p,
                t,
                f,
                n,
                items.stream()
                    .map(
                        i ->
                            new io.kvasir.api.identity.ContentItem(
                                forgotten.equals("position") ? 0 : i.position(),
                                forgotten.equals("span") ? 1 : i.span(),
                                forgotten.equals("kind") ? "any" : i.kind(),
                                forgotten.equals("digest") ? new byte[32] : i.digest()))
                    .toList()));
  }

  private interface Hash {
    byte[] hash(
        ChainHasher hasher,
        byte[] parent,
        int[] tokens,
        int from,
        int count,
        List<io.kvasir.api.identity.ContentItem> items);
  }

  /** Strict, but for a part of scope or chain. */
  private record Broken(Function<RequestScope, RequestScope> scope, Hash hash)
      implements IdentityPolicy {
    @Override
    public String name() {
      return "broken";
    }

    @Override
    public IdentityPolicy configured(Map<String, Object> settings) {
      return this;
    }

    @Override
    public BlockHasher hasher(NamespaceManifest namespace, RequestScope requested) {
      ChainHasher real = new ChainHasher(namespace.id(), scope.apply(requested));
      return (parent, tokens, from, count, items) ->
          hash.hash(real, parent, tokens, from, count, items);
    }

    @Override
    public String key(BlockKeys keys, int block) {
      return keys.flatKey(block);
    }
  }

  /** Strict in the namespace and the hash, and careless in the text alone. */
  private record Text(Function<BlockKeys, String> text) implements IdentityPolicy {
    @Override
    public String name() {
      return "text";
    }

    @Override
    public IdentityPolicy configured(Map<String, Object> settings) {
      return this;
    }

    @Override
    public BlockHasher hasher(NamespaceManifest namespace, RequestScope scope) {
      return new ChainHasher(namespace.id(), scope);
    }

    @Override
    public String key(BlockKeys keys, int block) {
      return text.apply(keys);
    }
  }

  @Test
  void aTextKeyNamesGroupAndShard() {
    IdentityPolicy noGroup = new Text(k -> k.flatKey(0).replaceFirst(":g[0-9]+:", ":"));
    IdentityPolicy noShard = new Text(k -> k.flatKey(0).replaceFirst(":s[0-9]+:", ":"));
    assertEquals(List.of("key.group"), PolicyProbe.missing(noGroup, Vectors.manifest()));
    assertEquals(List.of("key.shard"), PolicyProbe.missing(noShard, Vectors.manifest()));
    assertEquals(
        List.of("key.group"), PolicyProbe.missing(noGroup, RICH), "a copy of the last group");
  }

  @Test
  void aSharedNamespaceIsCaughtAlthoughTheTextsDiffer() {
    IdentityPolicy shared = new Forgetful("tenant");
    IdentityPolicy policy =
        new IdentityPolicy() {
          @Override
          public String name() {
            return "text-only";
          }

          @Override
          public IdentityPolicy configured(Map<String, Object> settings) {
            return this;
          }

          @Override
          public NamespaceManifest namespace(NamespaceManifest deployment) {
            return shared.namespace(deployment);
          }

          @Override
          public BlockHasher hasher(NamespaceManifest namespace, RequestScope scope) {
            return shared.hasher(namespace, scope);
          }

          @Override
          public String key(BlockKeys keys, int block) {
            return keys.namespace().tenant() + ":" + keys.flatKey(block);
          }
        };
    assertEquals(List.of("tenant"), PolicyProbe.missing(policy, RICH));
  }

  @Test
  void aPolicyThatForgetsASaltsValueOrThatItIsEmptyIsCaught() {
    Hash real = ChainHasher::hash;
    Broken value =
        new Broken(s -> new RequestScope(s.modifiers(), s.salt() == null ? null : "any"), real);
    Broken empty =
        new Broken(
            s -> new RequestScope(s.modifiers(), "".equals(s.salt()) ? null : s.salt()), real);
    Broken withModifiers =
        new Broken(
            s -> new RequestScope(s.modifiers(), s.modifiers().isEmpty() ? s.salt() : null), real);
    for (IdentityPolicy policy : List.of(value, empty, withModifiers)) {
      assertEquals(List.of("scope.salt"), PolicyProbe.missing(policy, RICH));
    }
  }

  @Test
  void aPolicyThatForgetsASecondModifierIsCaught() {
    Broken first =
        new Broken(
            s -> new RequestScope(s.modifiers().stream().limit(1).toList(), s.salt()),
            ChainHasher::hash);
    assertEquals(List.of("scope.modifiers"), PolicyProbe.missing(first, RICH));
  }

  @Test
  void aPolicyThatIsCarelessInItsLastGroupAloneIsCaught() {
    IdentityPolicy policy = new Text(k -> k.group() == 0 ? k.flatKey(0) : "group " + k.group());
    assertTrue(PolicyProbe.missing(policy, RICH).contains("tenant"));
  }

  @Test
  void aConstantTextIsCaughtAlthoughNamespaceAndHashDiffer() {
    List<String> missing = PolicyProbe.missing(new Text(k -> "key"), Vectors.manifest());
    assertTrue(missing.containsAll(List.of("tenant", "scope.salt", "tokens", "content")));
  }
}

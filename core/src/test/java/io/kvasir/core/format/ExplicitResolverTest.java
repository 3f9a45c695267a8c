package io.kvasir.core.format;

import static io.kvasir.core.format.Models.assertRefused;
import static io.kvasir.core.format.Models.json;
import static io.kvasir.core.format.Models.manifest;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.FormatResolver;
import io.kvasir.api.format.KvFormat;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExplicitResolverTest {
  private static final String GROUP =
      """
      {"id":0,"kind":"full","hit":"all","block_tokens":16,"window":null,"ratio":null,"state_bytes":null,
       "layers":[0,1],"kv_heads":2,"k_dim":64,"v_dim":64,"k_dtype":"bf16","v_dtype":"bf16","quant":null}\
      """;
  private static final String QUANT =
      """
      {"scheme":"fp8","bits":8,"axis":"tensor","group_size":null,"symmetric":true,"scale_dtype":"f32","packing":null,
       "scales":{"in":"engine","digest":"sha256:%s"}}\
      """
          .formatted("0".repeat(64));
  private static final String FORMAT =
      """
      {"config":{"model_type":"mine"},"compute":{"weights":"bf16","activations":"bf16"},"engine":"e",
       "layout":"layer-kv-token-head/1","byte_order":"little","hashing":"kvasir/1","numerics":"any",
       "groups":[%s],"shards":{"scheme":"kv-head","count":1},"extensions":{}}\
      """
          .formatted(GROUP);

  @Test
  void declaredFormatIsTakenAsItIs() {
    KvFormat format = resolve(FORMAT);
    assertEquals(2L * 16 * 2 * 64 * 2 * 2, format.payloadBytes(0));
    assertEquals("e", format.engine());
    assertEquals(Map.of("model_type", "mine"), format.config().tree().orElseThrow());
    String digest = format.config().digest();
    assertEquals(
        manifest(format),
        manifest(resolve(FORMAT.replace("{\"model_type\":\"mine\"}", "\"" + digest + "\""))));
  }

  @Test
  void nothingMayBeLeftOutAndNothingAdded() {
    for (Change change : changes(json(FORMAT), "")) {
      if (change.path().startsWith("config.")) {
        continue; // the model's own names
      }
      FormatException e =
          assertThrows(
              FormatException.class, () -> resolve(change.without()), change.path() + " left out");
      String path = change.path().replace("groups[0]", "groups[0]");
      assertEquals(
          "settings.format." + path + ": missing; what does not apply is null", e.getMessage());
    }
    for (String object : List.of("\"engine\":", "\"id\":", "\"weights\":", "\"scheme\":\"kv")) {
      String more = FORMAT.replaceFirst(object, "\"unknown\":1,$0");
      FormatException e = assertThrows(FormatException.class, () -> resolve(json(more)));
      assertTrue(
          e.getMessage().matches("settings\\.format\\..*unknown: unknown name in a manifest"),
          e.getMessage());
    }
  }

  @Test
  void eachValueIsIdentity() {
    String before = manifest(resolve(FORMAT));
    for (String change :
        List.of(
            "mine=yours",
            "\"weights\":\"bf16\"=\"weights\":\"int4\"",
            "\"activations\":\"bf16\"=\"activations\":\"f16\"",
            "\"engine\":\"e\"=\"engine\":\"f\"",
            "token-head=head-token",
            "kvasir/1=engine:e/sha256",
            "any=batch-1",
            "\"full\"=\"draft\"",
            "\"all\"={\"trailing\":16}",
            "[0,1]=[0,2]",
            "\"kv_heads\":2=\"kv_heads\":4",
            "\"k_dim\":64=\"k_dim\":32",
            "\"v_dim\":64=\"v_dim\":32",
            "\"k_dtype\":\"bf16\"=\"k_dtype\":\"f16\"",
            "\"v_dtype\":\"bf16\"=\"v_dtype\":\"f16\"",
            "\"count\":1=\"count\":2",
            "\"extensions\":{}=\"extensions\":{\"e.x\":1}")) {
      String[] parts = change.split("=", 2);
      String changed = FORMAT.replace(parts[0], parts[1]);
      assertNotEquals(FORMAT, changed, change);
      assertNotEquals(before, manifest(resolve(changed)), change);
    }
    String quantised = fp8(QUANT, QUANT);
    assertNotEquals(before, manifest(resolve(quantised)));
    assertNotEquals(
        manifest(resolve(quantised)),
        manifest(resolve(quantised.replace("0".repeat(64), "1".repeat(64)))));
  }

  private static String fp8(String k, String v) {
    return FORMAT
        .replace("_dtype\":\"bf16\"", "_dtype\":\"fp8_e4m3\"")
        .replace("\"quant\":null", "\"quant\":{\"k\":" + k + ",\"v\":" + v + "}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'\"layout\":\"layer-kv-token-head/1\"'|'\"layout\":\"auto\"'|layout: \"auto\" says"
            + " nothing; give the value that is in force",
        "'\"numerics\":\"any\"'|'\"numerics\":\"unknown\"'|numerics: \"unknown\" says nothing; give"
            + " the value that is in force",
        "'\"k_dtype\":\"bf16\"'|'\"k_dtype\":\"auto\"'|groups[0].k_dtype: \"auto\" is not a known"
            + " data type; there are f32, f16, bf16, fp8_e4m3, fp8_e5m2, int8, int4, int2",
        "'little'|'big'|byte_order: \"big\" is not supported; blocks are \"little\"",
        "'\"kv_heads\":2'|'\"kv_heads\":null'|groups[0].kv_heads: null is not a whole number from 1"
            + " to 65536",
        "'\"kv_heads\":2'|'\"kv_heads\":0'|groups[0].kv_heads: 0 is not a whole number from 1 to"
            + " 65536",
        "'\"k_dim\":64'|'\"k_dim\":2147483647'|groups[0].k_dim: 2147483647 is not a whole number"
            + " from 1 to 65536",
        "'\"v_dim\":64'|'\"v_dim\":-1'|groups[0].v_dim: -1 is not a whole number from 0 to 65536",
        "'\"window\":null'|'\"window\":5'|groups[0].window: 5 with kind full",
        "'\"kind\":\"full\"'|'\"kind\":\"sliding\"'|groups[0].window: null with kind sliding",
        "'\"kind\":\"full\"'|'\"kind\":\"mla\"'|groups[0].kind: mla is one KV head of latent and"
            + " rope part with v_dim 0, not 2 heads with v_dim 64",
        "'\"count\":1'|'\"count\":3'|groups[0].kv_heads: 2 is not divisible by the 3 shards",
        "'\"count\":1'|'\"count\":0'|shards.count: 0 is not in 1 … 65536",
        "'\"id\":0'|'\"id\":1'|groups[0].id: 1 is not its place in the list of groups",
        "'[0,1]'|'[]'|groups[0].layers: none",
        "'[0,1]'|'[1,0]'|groups[0].layers: [1, 0] is not an array of layer indices in ascending"
            + " order",
        "'\"block_tokens\":16'|'\"block_tokens\":32'|groups[0].block_tokens: 32, but the engine's"
            + " blocks have 16 tokens"
      })
  void valueThatMeansNothingIsRefused(String from, String to, String message) {
    String changed = FORMAT.replace(from, to);
    assertNotEquals(FORMAT, changed);
    assertRefused("settings.format." + message, () -> resolve(changed));
  }

  @Test
  void quantisationMustBeWhole() {
    resolve(fp8(QUANT, QUANT));
    assertRefused(
        "settings.format.groups[0].quant.k.bits: 4, but an element has 8 bits",
        () -> resolve(fp8(QUANT.replace("\"bits\":8", "\"bits\":4"), QUANT)));
    assertThrows(
        FormatException.class, () -> resolve(fp8(QUANT.replace("sha256:0", "sha256:X"), QUANT)));
    assertThrows(FormatException.class, () -> resolve(fp8(QUANT, "null")));
    assertThrows(
        FormatException.class,
        () ->
            resolve(
                fp8(
                    QUANT
                        .replaceFirst("\\{\"in\".*}}", "{\"in\":\"block\",\"digest\":null}}")
                        .replace("\"f32\"", "null"),
                    QUANT)));
  }

  @Test
  void sizeThatOverflowsIsRefused() {
    String huge =
        FORMAT
            .replace("\"kv_heads\":2", "\"kv_heads\":65536")
            .replace("\"k_dim\":64", "\"k_dim\":65536")
            .replace("\"v_dim\":64", "\"v_dim\":65536");
    FormatException e = assertThrows(FormatException.class, () -> resolve(huge));
    assertTrue(e.getMessage().endsWith("a block has 1 byte to 64 MiB"), e.getMessage());
  }

  @Test
  void formatIsRequiredAndAlone() {
    FormatResolver resolver = new ExplicitResolver();
    assertRefused(
        "settings.format: missing; the resolver \"explicit\" takes the whole format from it:"
            + " config, compute, engine, layout, byte_order, hashing, numerics, groups, shards,"
            + " extensions",
        () -> resolver.resolve(Models.spec("e", null, Map.of())));
    assertRefused(
        "settings.format: \"x\" is not an object",
        () -> resolver.resolve(Models.spec("e", null, Map.of("format", "x"))));
    assertRefused(
        "settings.tensor_parallel: unknown to the resolver \"explicit\", which knows format",
        () ->
            resolver.resolve(
                Models.spec("e", null, Map.of("format", json(FORMAT), "tensor_parallel", 2))));
  }

  @Test
  void resolversAreServicesOfTheModule() {
    List<String> names =
        ExplicitResolver.class.getModule().getDescriptor().provides().stream()
            .filter(p -> p.service().equals(FormatResolver.class.getName()))
            .flatMap(p -> p.providers().stream())
            .sorted()
            .toList();
    assertEquals(
        List.of(
            ExplicitResolver.class.getName(),
            GgufResolver.class.getName(),
            HfResolver.class.getName(),
            LmdeployResolver.class.getName()),
        names);
    assertEquals("explicit", new ExplicitResolver().name());
    assertEquals("hf", new HfResolver().name());
    assertEquals("lmdeploy", new LmdeployResolver().name());
  }

  private record Change(String path, Map<String, Object> without) {}

  /** {@return for each name in each object, the tree without it} */
  private static List<Change> changes(Map<String, Object> json, String at) {
    List<Change> out = new ArrayList<>();
    json.forEach(
        (name, value) -> {
          Map<String, Object> without = new LinkedHashMap<>(json);
          without.remove(name);
          out.add(new Change(at + name, without));
          Object inner = value instanceof List<?> l ? l.getFirst() : value;
          if (inner instanceof Map<?, ?> m && !m.isEmpty()) {
            String path = at + name + (value instanceof List<?> ? "[0]." : ".");
            for (Change c : changes(Tables.object(m), path)) {
              Map<String, Object> with = new LinkedHashMap<>(json);
              with.put(name, value instanceof List<?> ? List.of(c.without()) : c.without());
              out.add(new Change(c.path(), with));
            }
          }
        });
    return out;
  }

  private static KvFormat resolve(String format) {
    return resolve(json(format));
  }

  private static KvFormat resolve(Map<String, Object> format) {
    KvFormat resolved =
        new ExplicitResolver().resolve(Models.spec("e", null, Map.of("format", format)));
    resolved.check();
    return resolved;
  }
}

package io.kvasir.core.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvasir.api.KvasirException;
import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import io.kvasir.api.format.Shards;
import io.kvasir.api.identity.ContentItem;
import io.kvasir.api.identity.IdentityPolicy;
import io.kvasir.api.identity.KeyChain;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.identity.Weights;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The probe of InternLM/lmdeploy#4930, its published keys, and what the policy refuses. */
class LmdeployV1PolicyTest {
  private static final String MODEL = "Qwen2.5-0.5B-Instruct";

  /** As printed in the report, for fp16, fp8 and int4 alike. */
  private static final String PUBLISHED =
      MODEL + "@tp_rank:0@group:0@e94120f79296e8af266366a8ac6dcc18b8d8171f87e6f405f6a6f4e22324fe8e";

  private static final Map<String, Object> VECTOR = Vectors.object("lmdeploy_v1");

  private final IdentityPolicy strict = new StrictPolicy();
  private final IdentityPolicy lmdeploy =
      new LmdeployV1Policy().configured(Map.of("adapter", "base")); // as in the report

  private static NamespaceManifest deployment(String tenant, Weights weights, Dtype dtype) {
    KvFormat f = Vectors.format();
    return NamespaceManifest.of(
            tenant,
            weights,
            KvFormat.of(
                f.config(),
                f.compute(),
                f.engine(),
                f.layout(),
                List.of(Vectors.group(64, dtype)),
                new Shards.KvHead(8)))
        .withLabels(Map.of("model", MODEL));
  }

  private static String key(
      IdentityPolicy policy, NamespaceManifest deployment, int shard, int block, int... tokens) {
    NamespaceManifest namespace = policy.namespace(deployment);
    KeyChain chain =
        new KeyChain(namespace, policy.hasher(namespace, RequestScope.NONE), 64, List.of());
    chain.append(tokens);
    return policy.key(chain.keys(0, shard, block, block + 1), 0);
  }

  private static Set<String> keys(
      IdentityPolicy policy, int shard, NamespaceManifest... deployments) {
    Set<String> out = new LinkedHashSet<>();
    for (NamespaceManifest d : deployments) {
      out.add(key(policy, d, shard, 2, Vectors.prompt()));
    }
    return out;
  }

  @Test
  void aKvDtypesShareKeysUnderLmdeployAndNotUnderStrict() {
    NamespaceManifest[] dtypes = {
      deployment("acme", Vectors.base(), Dtype.F16),
      deployment("acme", Vectors.base(), Dtype.FP8_E4M3),
      deployment("acme", Vectors.base(), Dtype.INT4)
    };
    assertEquals(Set.of(PUBLISHED), keys(lmdeploy, 0, dtypes));
    assertEquals(3, keys(strict, 0, dtypes).size());
  }

  @Test
  void bWeightUpdatesShareKeysUnderLmdeployAndNotUnderStrict() {
    String run = "6f1d2c34-9a77-4d0e-8b2e-1f0a6c5d4e3b";
    NamespaceManifest[] states = {
      deployment("acme", Vectors.base(), Dtype.F16),
      deployment("acme", Weights.full(run, "step-1"), Dtype.F16),
      deployment("acme", Weights.full(run, "step-2"), Dtype.F16),
      deployment("acme", Weights.delta(Vectors.base(), run, "step-1"), Dtype.F16)
    };
    assertEquals(Set.of(PUBLISHED), keys(lmdeploy, 0, states));
    assertEquals(4, keys(strict, 0, states).size());
  }

  @Test
  void bRestartsOnOtherWeightsShareKeysUnderLmdeployAndNotUnderStrict() {
    NamespaceManifest[] starts = {
      deployment("acme", Weights.commit("Qwen/Qwen2.5-0.5B-Instruct", "a".repeat(40)), Dtype.F16),
      deployment("acme", Weights.commit("Qwen/Qwen2.5-0.5B-Instruct", "b".repeat(40)), Dtype.F16),
      deployment("acme", Weights.unknown(), Dtype.F16),
      deployment("acme", Weights.unknown(), Dtype.F16)
    };
    assertEquals(Set.of(PUBLISHED), keys(lmdeploy, 0, starts));
    assertEquals(4, keys(strict, 0, starts).size());
  }

  @Test
  void bARestartOnTheSameWeightsFindsItsOwnKeysUnderBoth() {
    NamespaceManifest[] starts = {
      deployment("acme", Vectors.base(), Dtype.F16), deployment("acme", Vectors.base(), Dtype.F16)
    };
    assertEquals(1, keys(lmdeploy, 0, starts).size());
    assertEquals(1, keys(strict, 0, starts).size());
  }

  @Test
  void cTenantsShareKeysUnderLmdeployAndNotUnderStrict() {
    NamespaceManifest[] tenants = {
      deployment("acme", Vectors.base(), Dtype.F16), deployment("globex", Vectors.base(), Dtype.F16)
    };
    assertEquals(Set.of(PUBLISHED.replace("tp_rank:0", "tp_rank:3")), keys(lmdeploy, 3, tenants));
    assertEquals(2, keys(strict, 3, tenants).size());
  }

  @Test
  void eOtherTokensHaveOtherKeysUnderBoth() {
    NamespaceManifest d = deployment("acme", Vectors.base(), Dtype.F16);
    int[] other = Vectors.tokens(VECTOR.get("other_prompt"));
    assertNotEquals(PUBLISHED, key(lmdeploy, d, 0, 2, other));
    assertEquals(
        MODEL + "@tp_rank:0@group:0@" + Vectors.list(VECTOR.get("other_hashes")).get(2),
        key(lmdeploy, d, 0, 2, other));
    assertNotEquals(key(strict, d, 0, 2, other), key(strict, d, 0, 2, Vectors.prompt()));
  }

  @Test
  void hashesAndKeysAreTheGoldenOnes() {
    NamespaceManifest d = deployment("acme", Vectors.base(), Dtype.F16);
    assertEquals("base", VECTOR.get("identity"));
    assertEquals(PUBLISHED, VECTOR.get("key"));
    assertEquals(VECTOR.get("hashes"), hashes(lmdeploy, d, "prompt"));
    assertEquals(VECTOR.get("other_hashes"), hashes(lmdeploy, d, "other_prompt"));
    assertEquals(
        VECTOR.get("key_with_prefix"),
        key(lmdeploy.configured(Map.of("cache_prefix", "acme")), d, 3, 2, Vectors.prompt()));
  }

  private static List<String> hashes(
      IdentityPolicy policy, NamespaceManifest deployment, String prompt) {
    NamespaceManifest namespace = policy.namespace(deployment);
    KeyChain chain =
        new KeyChain(namespace, policy.hasher(namespace, RequestScope.NONE), 64, List.of());
    chain.append(prompt.equals("prompt") ? Vectors.prompt() : Vectors.tokens(VECTOR.get(prompt)));
    return Vectors.hashes(chain);
  }

  /** What an engine writes that was asked for no adapter; made by reference.py. */
  @Test
  void theAdaptersNameIsInTheHashAndNotInTheKey() {
    assertEquals(
        MODEL
            + "@tp_rank:0@group:0@321778cf0afda395d3e944a28e38235e008b9cf6475a7c73ced000755f0f6e1a",
        key(
            new LmdeployV1Policy(),
            deployment("acme", Vectors.base(), Dtype.F16),
            0,
            2,
            Vectors.prompt()));
  }

  @Test
  void theSettingNamesTheModelBeforeTheLabelDoes() {
    NamespaceManifest d = deployment("acme", Vectors.base(), Dtype.F16);
    IdentityPolicy named = lmdeploy.configured(Map.of("model", "other"));
    assertEquals(PUBLISHED.replace(MODEL, "other"), key(named, d, 0, 2, Vectors.prompt()));
  }

  @Test
  void oneNamespaceIsSharedByAllThatTheKeysDoNotTellApart() {
    NamespaceManifest a = deployment("acme", Vectors.base(), Dtype.F16);
    NamespaceManifest b = deployment("globex", Weights.unknown(), Dtype.INT4);
    assertEquals(lmdeploy.namespace(a), lmdeploy.namespace(b));
    assertEquals(
        "{\"cache_prefix\":\"\",\"model\":\""
            + MODEL
            + "\",\"schema\":\"kvasir/policy/lmdeploy-v1/1\"}",
        new String(lmdeploy.namespace(a).canonical(), java.nio.charset.StandardCharsets.UTF_8));
    assertNotEquals(a, lmdeploy.namespace(a));
    assertNotEquals(
        lmdeploy.namespace(a), lmdeploy.configured(Map.of("cache_prefix", "p")).namespace(a));
    assertNotEquals(
        lmdeploy.namespace(a), lmdeploy.configured(Map.of("model", "other")).namespace(a));
    assertEquals(
        a.payloadBytes(0), lmdeploy.namespace(a).payloadBytes(0), "sizes stay the deployment's");
  }

  @Test
  void valuesAreRawAndGuardedBySizeAlone() {
    assertEquals(IdentityPolicy.Guard.SIZE, lmdeploy.guard());
    assertEquals(IdentityPolicy.Guard.CRC32C, strict.guard());
  }

  @Test
  void whatNoKeyTellsApartIsRefused() {
    NamespaceManifest d = deployment("acme", Vectors.base(), Dtype.F16);
    NamespaceManifest namespace = lmdeploy.namespace(d);
    String digest = "sha256:" + "11".repeat(32);
    refused(
        "identity.policy: \"lmdeploy-v1\" cannot tell a request with the modifier lora "
            + digest
            + " from one without; use \"strict\"",
        () ->
            lmdeploy.hasher(
                namespace, RequestScope.NONE.with(new RequestScope.Modifier("lora", digest))));
    refused(
        "identity.policy: \"lmdeploy-v1\" cannot keep a salted request apart; use \"strict\"",
        () -> lmdeploy.hasher(namespace, RequestScope.salted("user-1")));
    refused(
        "identity.policy: \"lmdeploy-v1\" cannot tell one image from another; use \"strict\"",
        () ->
            lmdeploy
                .hasher(namespace, RequestScope.NONE)
                .hash(
                    null,
                    new int[64],
                    0,
                    64,
                    List.of(new ContentItem(0, 1, "image", new byte[32]))));
    refused(
        "token -1 at 3 is out of range 0 … 2^31-1",
        () ->
            lmdeploy
                .hasher(namespace, RequestScope.NONE)
                .hash(null, new int[] {0, 1, 2, -1}, 0, 4, List.of()));
  }

  @Test
  void aSecondGroupIsRefusedBecauseEveryKeySaysGroup0() {
    KvFormat f = Vectors.format();
    KvGroup one = Vectors.group(64, Dtype.F16);
    KvGroup two = KvGroup.full(1, 64, List.of(24), 2, 64, Dtype.F16);
    NamespaceManifest wide =
        NamespaceManifest.of(
            "acme",
            Vectors.base(),
            KvFormat.of(
                f.config(), f.compute(), f.engine(), f.layout(), List.of(one, two), f.shards()));
    refused(
        "identity.policy: \"lmdeploy-v1\" has keys for one group of layers, and this deployment"
            + " has 2; use \"strict\"",
        () -> lmdeploy.namespace(wide));
  }

  @Test
  void badSettingsAreRefused() {
    String way =
        "; \"lmdeploy-v1\" has the model's name in each key: write the one that the engine used,"
            + " such as \"Qwen2.5-0.5B-Instruct\"";
    refused("identity.model: missing" + way, () -> lmdeploy.namespace(Vectors.manifest()));
    refused(
        "identity.model: \"\" names no model" + way,
        () -> lmdeploy.configured(Map.of("model", "")));
    refused(
        "identity.prefix: the policy \"lmdeploy-v1\" has no such setting; it has adapter,"
            + " cache_prefix, model",
        () -> lmdeploy.configured(Map.of("prefix", "acme")));
    refused(
        "identity.cache_prefix: 7 is not a string",
        () -> lmdeploy.configured(Map.of("cache_prefix", 7)));
    Map<String, Object> noAdapter = new LinkedHashMap<>();
    noAdapter.put("adapter", null);
    refused("identity.adapter: null is not a string", () -> lmdeploy.configured(noAdapter));
    refused(
        "identity.model: lone surrogate U+D800 in a string: index 0",
        () -> lmdeploy.configured(Map.of("model", "\uD800")));
    refused(
        "identity.salt: the policy \"strict\" has no such setting; it has none",
        () -> strict.configured(Map.of("salt", "x")));
  }

  private static void refused(String message, Executable action) {
    assertEquals(message, assertThrows(KvasirException.class, action).getMessage());
  }

  @Test
  void aLongerPromptHasTheKeysOfItsPrefix() {
    NamespaceManifest d = deployment("acme", Vectors.base(), Dtype.F16);
    int[] prefix = Arrays.copyOf(Vectors.prompt(), 192);
    assertEquals(PUBLISHED, key(lmdeploy, d, 0, 2, prefix));
  }
}

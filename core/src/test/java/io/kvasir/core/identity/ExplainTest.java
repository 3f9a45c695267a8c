package io.kvasir.core.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.ModelConfiguration;
import io.kvasir.api.identity.CanonicalJson;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.Weights;
import io.kvasir.api.store.NamespaceSummary;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ExplainTest {
  private static final String RUN = "6f1d2c34-9a77-4d0e-8b2e-1f0a6c5d4e3b";
  private final NamespaceManifest base = Vectors.manifest();

  private static NamespaceManifest with(
      String tenant, Weights weights, Map<String, Object> config, Dtype dtype) {
    KvFormat f = Vectors.format();
    return NamespaceManifest.of(
        tenant,
        weights,
        KvFormat.of(
            ModelConfiguration.of(config),
            f.compute(),
            f.engine(),
            f.layout(),
            List.of(Vectors.group(64, dtype)),
            f.shards()));
  }

  private static Map<String, Object> yarn() {
    Map<String, Object> config = new LinkedHashMap<>(Vectors.object("config"));
    Map<String, Object> rope = new LinkedHashMap<>();
    rope.put("type", "yarn");
    rope.put("theta", 1000000.0);
    rope.put("factor", 4.0);
    config.put("rope", rope);
    return config;
  }

  private static NamespaceSummary stored(NamespaceManifest m, boolean configuration, int day) {
    return new NamespaceSummary(
        m.id(),
        m.canonical(),
        configuration ? m.format().config().tree().map(CanonicalJson::bytes) : Optional.empty(),
        Map.of("model", "qwen"),
        7,
        7 * 64,
        Instant.parse("2026-01-01T00:00:00Z"),
        Instant.parse("2026-01-%02dT00:00:00Z".formatted(day)),
        Optional.empty());
  }

  private static Differences between(NamespaceManifest a, NamespaceManifest b) {
    return Explain.between(Explain.Side.of(a), Explain.Side.of(b));
  }

  @Test
  void equalDeploymentsHaveOneIdentity() {
    Differences d = between(base, Vectors.manifest());
    assertEquals(List.of(), d.fields());
    assertEquals(
        base.id().prefix() + " and " + base.id().prefix() + " have one identity\n", d.text());
  }

  @Test
  void differencesNameFieldsWithBothValues() {
    NamespaceManifest other =
        with("globex", Vectors.base(), Vectors.object("config"), Dtype.FP8_E4M3);
    Differences d = between(base, other);
    assertEquals(
        List.of(
            new Difference("representation.groups[0].k_dtype", "bf16", "fp8_e4m3"),
            new Difference("representation.groups[0].v_dtype", "bf16", "fp8_e4m3"),
            new Difference("tenant", "acme", "globex")),
        d.fields());
    String a = base.id().prefix();
    String b = other.id().prefix();
    assertEquals(
        """
        A and B differ in 3 fields
          representation.groups[0].k_dtype
            A: "bf16"
            B: "fp8_e4m3"
          representation.groups[0].v_dtype
            A: "bf16"
            B: "fp8_e4m3"
          tenant
            A: "acme"
            B: "globex"
        """
            .replace("A", a)
            .replace("B", b),
        d.text());
    assertEquals(
        "{\"fields\":[{\"field\":\"representation.groups[0].k_dtype\",\"left\":\"bf16\","
            + "\"right\":\"fp8_e4m3\"},{\"field\":\"representation.groups[0].v_dtype\","
            + "\"left\":\"bf16\",\"right\":\"fp8_e4m3\"},{\"field\":\"tenant\",\"left\":\"acme\","
            + "\"right\":\"globex\"}],\"left\":\""
            + a
            + "\",\"notes\":[],\"right\":\""
            + b
            + "\"}",
        CanonicalJson.text(d.json()));
  }

  @Test
  void configurationsAreComparedDownToSingleNames() {
    NamespaceManifest other = with("acme", Vectors.base(), yarn(), Dtype.BF16);
    Differences d = between(base, other);
    assertEquals(List.of("semantic.config.rope.factor", "semantic.config.rope.type"), d.names());
    assertEquals(Difference.ABSENT, d.fields().getFirst().left());
    assertTrue(d.text().contains(base.id().prefix() + ": absent\n"), d.text());
    assertTrue(d.text().contains(other.id().prefix() + ": 4\n"), d.text());
    assertEquals(List.of(), d.notes());
    assertEquals(
        "[field, right]", d.fields().getFirst().json().keySet().toString(), "left is left out");
  }

  @Test
  void numbersThatAreWrittenInAnotherWayAreNoDifference() {
    Map<String, Object> config = new LinkedHashMap<>(Vectors.object("config"));
    config.put("hidden_size", 896.0);
    config.put("vocab", 7);
    assertEquals(
        List.of("semantic.config.vocab"),
        between(base, with("acme", Vectors.base(), config, Dtype.BF16)).names());
  }

  @Test
  void aConfigurationThatIsNotKeptOrNotItsOwnLeavesTheDigests() {
    NamespaceManifest other = with("acme", Vectors.base(), yarn(), Dtype.BF16);
    Differences d =
        Explain.between(Explain.Side.of(base), Explain.Side.of(stored(other, false, 1)));
    assertEquals(
        List.of(
            new Difference(
                "semantic.config",
                base.format().config().digest(),
                other.format().config().digest())),
        d.fields());
    assertEquals(
        List.of(
            other.id().prefix()
                + ": its normalised configuration is not kept, so that only digests can be"
                + " compared"),
        d.notes());
    Explain.Side wrong =
        new Explain.Side("other", other.json(), Optional.of(Map.of("model_type", "x")));
    assertEquals(
        List.of(
            "other: its normalised configuration has another digest, so that only digests can be"
                + " compared"),
        Explain.between(Explain.Side.of(base), wrong).notes());
  }

  @Test
  void formsOfAWeightsStateAreComparedNameByName() {
    Differences d =
        between(base, with("acme", Weights.full(RUN, "s"), Vectors.object("config"), Dtype.BF16));
    assertEquals(
        List.of(
            "semantic.weights.commit",
            "semantic.weights.kind",
            "semantic.weights.model",
            "semantic.weights.run",
            "semantic.weights.update"),
        d.names());
  }

  @Test
  void aListOfLayersIsOneValueAndGroupsAreComparedOneByOne() {
    Map<String, Object> left =
        Map.of("layers", List.of(0, 1, 2), "groups", List.of(Map.of("id", 0)));
    Map<String, Object> right =
        Map.of("layers", List.of(0, 2), "groups", List.of(Map.of("id", 0), Map.of("id", 1)));
    Differences d =
        Explain.between(
            new Explain.Side("a", left, Optional.empty()),
            new Explain.Side("b", right, Optional.empty()));
    assertEquals(
        List.of(
            new Difference("groups[1]", Difference.ABSENT, Map.of("id", 1)),
            new Difference("layers", List.of(0, 1, 2), List.of(0, 2))),
        d.fields());
  }

  @Test
  void theNearestDiffersInTheFewestFields() {
    NamespaceManifest near = with("acme", Vectors.base(), yarn(), Dtype.BF16);
    NamespaceManifest far = with("acme", Weights.full(RUN, "s"), yarn(), Dtype.INT8);
    NamespaceManifest own = Vectors.manifest();
    Explain.Nearest nearest =
        Explain.nearest(
                base, List.of(stored(far, true, 9), stored(near, true, 1), stored(own, true, 3)))
            .orElseThrow();
    assertEquals(near.id(), nearest.namespace().id());
    assertEquals(2, nearest.compared());
    assertEquals(
        """
        nearest of 2: B (7 blocks, last used 2026-01-01T00:00:00Z)
        A and B differ in 2 fields
          semantic.config.rope.factor
            A: absent
            B: 4
          semantic.config.rope.type
            A: "default"
            B: "yarn"
        """
            .replace("A", base.id().prefix())
            .replace("B", near.id().prefix()),
        nearest.text());
    assertEquals(near.id().hex(), nearest.json().get("nearest"));
    CanonicalJson.text(nearest.json());
  }

  @Test
  void ofEquallyNearOnesTheOwnTenantsAndThenTheLastUsedWins() {
    NamespaceManifest tenant = with("globex", Vectors.base(), Vectors.object("config"), Dtype.BF16);
    KvFormat f = Vectors.format();
    NamespaceManifest numerics =
        NamespaceManifest.of("acme", Vectors.base(), f.withNumerics("jlama/1"));
    NamespaceManifest newer =
        NamespaceManifest.of("acme", Vectors.base(), f.withNumerics("jlama/2"));
    assertEquals(
        newer.id(),
        Explain.nearest(
                base,
                List.of(stored(tenant, true, 9), stored(numerics, true, 2), stored(newer, true, 3)))
            .orElseThrow()
            .namespace()
            .id());
  }

  @Test
  void damagedManifestsAreNamedAndLeftOut() {
    NamespaceManifest near = with("acme", Vectors.base(), yarn(), Dtype.BF16);
    NamespaceSummary good = stored(near, true, 1);
    NamespaceId wrong = NamespaceId.of(new byte[32]);
    NamespaceSummary bad =
        new NamespaceSummary(
            wrong,
            near.canonical(),
            Optional.empty(),
            Map.of(),
            0,
            0,
            good.created(),
            good.lastUsed(),
            Optional.empty());
    Explain.Nearest nearest = Explain.nearest(base, List.of(bad, good)).orElseThrow();
    String damage =
        "manifest "
            + wrong.prefix()
            + ": the stored bytes hash to "
            + near.id().prefix()
            + "; the file is damaged";
    assertEquals(List.of(damage), nearest.unreadable());
    assertTrue(nearest.text().endsWith("left out: " + damage + "\n"), nearest.text());
    assertEquals(Optional.empty(), Explain.nearest(base, List.of()));
    assertEquals(Optional.empty(), Explain.nearest(base, List.of(bad)));
  }

  @Test
  void aSharedNamespaceOfAnUnsafePolicyIsComparedToo() {
    NamespaceManifest shared = base.reduced("lmdeploy-v1", Map.of("model", "m"));
    Differences d =
        Explain.nearest(base, List.of(stored(shared, false, 1))).orElseThrow().differences();
    assertTrue(d.names().containsAll(List.of("schema", "model", "tenant")), d.text());
  }

  @Test
  void aNewNamespaceAmongOthersOfItsTenantIsNoticedInOneLine() {
    NamespaceManifest near = with("acme", Vectors.base(), yarn(), Dtype.BF16);
    NamespaceManifest foreign =
        with("globex", Vectors.base(), Vectors.object("config"), Dtype.BF16);
    assertEquals(
        Optional.of(
            "namespace "
                + base.id().prefix()
                + " of \"acme\" is new; the nearest of 1 that this tenant has is "
                + near.id().prefix()
                + ", which differs in semantic.config.rope.factor, semantic.config.rope.type;"
                + " kvasir identity explain --nearest shows the values"),
        Explain.notice(base, List.of(stored(near, true, 1), stored(foreign, true, 1))));
    assertEquals(Optional.empty(), Explain.notice(base, List.of(stored(foreign, true, 1))));
    assertEquals(
        Optional.empty(),
        Explain.notice(base, List.of(stored(near, true, 1), stored(base, true, 1))));
  }
}

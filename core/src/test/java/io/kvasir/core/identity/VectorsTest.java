package io.kvasir.core.identity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.kvasir.api.format.ModelConfiguration;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.CanonicalJson;
import io.kvasir.api.identity.ChainHasher;
import io.kvasir.api.identity.ContentItem;
import io.kvasir.api.identity.KeyChain;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.identity.Weights;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every accepted value of identity.json; the refused ones are in {@link RefusedVectorsTest}. */
class VectorsTest {
  private final NamespaceManifest manifest = Vectors.manifest();

  @Test
  void everyPartOfTheVectorsHasATest() {
    assertEquals(
        new TreeSet<>(
            Set.of(
                "about",
                "numbers",
                "refused",
                "files_digest",
                "prompt",
                "config",
                "canonical_config",
                "canonical_manifest",
                "namespace_id",
                "changed_manifests",
                "weights_states",
                "scopes",
                "chains_block_64",
                "chain_block_16_base",
                "chain_with_items_in_block_1",
                "bind",
                "keys",
                "fingerprints",
                "lmdeploy_v1")),
        new TreeSet<>(Vectors.ALL.keySet()));
  }

  @TestFactory
  Stream<DynamicTest> numbersArePrintedAsEcmaScriptPrintsThem() {
    return each("numbers", (text, printed) -> assertEquals(printed, canonical(text)));
  }

  private static String canonical(String json) {
    return CanonicalJson.text(StrictJson.value("number", json.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void filesAreDigestedInTheOrderOfTheirNames() {
    List<FilesDigest.Entry> files = new ArrayList<>();
    for (Object file : Vectors.list(Vectors.object("files_digest").get("files"))) {
      List<?> f = Vectors.list(file);
      files.add(new FilesDigest.Entry((String) f.get(0), (Long) f.get(1), Vectors.hex(f.get(2))));
    }
    String expected = (String) Vectors.object("files_digest").get("digest");
    assertEquals(expected, HexFormat.of().formatHex(FilesDigest.of(files)));
    assertEquals("sha256:" + expected, FilesDigest.content(files.reversed()));
  }

  @Test
  void theConfigurationIsHashedInCanonicalForm() {
    Map<String, Object> config = Vectors.object("config");
    assertEquals(Vectors.text("canonical_config"), CanonicalJson.text(config));
    assertEquals(
        "sha256:"
            + HexFormat.of()
                .formatHex(
                    Digests.sha256()
                        .digest(Vectors.text("canonical_config").getBytes(StandardCharsets.UTF_8))),
        ModelConfiguration.of(config).digest());
  }

  @Test
  void theManifestOfADeploymentIsTheCanonicalOne() {
    assertEquals(
        Vectors.text("canonical_manifest"),
        new String(manifest.canonical(), StandardCharsets.UTF_8));
    assertEquals(Vectors.text("namespace_id"), manifest.id().hex());
    assertEquals(NamespaceId.parse(Vectors.text("namespace_id")), manifest.id());
  }

  @TestFactory
  Stream<DynamicTest> everyChangedManifestHasItsOwnId() {
    return each(
        "changed_manifests",
        (name, node) -> {
          String canonical = (String) Vectors.object(node).get("canonical");
          NamespaceManifest changed = Vectors.manifestOf(canonical);
          assertEquals(canonical, new String(changed.canonical(), StandardCharsets.UTF_8));
          assertEquals(Vectors.object(node).get("namespace_id"), changed.id().hex());
          assertArrayEquals(
              changed.canonical(),
              StoredManifest.read(changed.id(), changed.canonical()).canonical());
        });
  }

  @Test
  void noTwoManifestsOfTheVectorsShareAnId() {
    Set<String> ids = new HashSet<>(Set.of(manifest.id().hex()));
    Vectors.object("changed_manifests")
        .forEach((name, m) -> ids.add(Vectors.manifestOf(canonicalOf(m)).id().hex()));
    assertEquals(1 + Vectors.object("changed_manifests").size(), ids.size());
  }

  private static String canonicalOf(Object node) {
    return (String) Vectors.object(node).get("canonical");
  }

  @TestFactory
  Stream<DynamicTest> everyFormOfAWeightsStateHasItsId() {
    return each(
        "weights_states",
        (name, node) -> {
          Map<String, Object> json =
              StrictJson.object(name, canonicalOf(node).getBytes(StandardCharsets.UTF_8));
          Weights weights = Weights.of(json);
          assertEquals(canonicalOf(node), CanonicalJson.text(weights.json()));
          assertEquals(Vectors.object(node).get("state"), weights.hexId());
        });
  }

  @Test
  void aPartialUpdateNamesTheStateBeforeIt() {
    String run = "6f1d2c34-9a77-4d0e-8b2e-1f0a6c5d4e3b";
    assertEquals(
        Vectors.object(Vectors.object("weights_states").get("delta_on_base")).get("state"),
        Weights.delta(Vectors.base(), run, "merge-1").hexId());
  }

  @TestFactory
  Stream<DynamicTest> everyScopeHasItsDigest() {
    return each(
        "scopes",
        (name, node) -> {
          RequestScope scope = scope(name);
          assertEquals(canonicalOf(node), CanonicalJson.text(scope.json()));
          assertEquals(
              Vectors.object(node).get("digest"), HexFormat.of().formatHex(scope.digest()));
        });
  }

  @TestFactory
  Stream<DynamicTest> everyScopeHasItsChain() {
    return each(
        "chains_block_64",
        (name, hashes) -> {
          KeyChain chain = chain(scope(name), 64, List.of());
          chain.append(Vectors.prompt());
          assertEquals(hashes, Vectors.hashes(chain));
        });
  }

  @Test
  void smallerBlocksHaveOtherHashes() {
    KeyChain chain = chain(RequestScope.NONE, 16, List.of());
    chain.append(Vectors.prompt());
    assertEquals(Vectors.ALL.get("chain_block_16_base"), Vectors.hashes(chain));
  }

  @Test
  void aChainThatGrowsTokenByTokenHasTheSameHashes() {
    KeyChain chain = chain(RequestScope.NONE, 16, List.of());
    for (int token : Vectors.prompt()) {
      chain.append(token);
    }
    assertEquals(Vectors.ALL.get("chain_block_16_base"), Vectors.hashes(chain));
  }

  @Test
  void contentIsHashedInTheBlockOfItsFirstPlaceholder() {
    Map<String, Object> vector = Vectors.object("chain_with_items_in_block_1");
    List<?> blocks = Vectors.list(vector.get("items"));
    List<ContentItem> items = new ArrayList<>();
    for (int block = 0; block < blocks.size(); block++) {
      for (Object item : Vectors.list(blocks.get(block))) {
        items.add(Vectors.item(64 * block, Vectors.object(item)));
      }
    }
    KeyChain chain = chain(RequestScope.NONE, 64, items);
    chain.append(Vectors.prompt());
    assertEquals(vector.get("hashes"), Vectors.hashes(chain));
  }

  @Test
  void anEnginesOwnHashIsBoundToNamespaceAndScope() {
    Map<String, Object> bind = Vectors.object("bind");
    assertEquals(
        bind.get("hash"),
        HexFormat.of()
            .formatHex(
                ChainHasher.bind(
                    manifest.id(), RequestScope.NONE, Vectors.hex(bind.get("engine_hash")))));
  }

  @Test
  void flatKeysNameNamespaceGroupShardAndHash() {
    assertEquals(Vectors.object("keys").get("g0_s1_block2"), keys(manifest, 0, 1).flatKey(0));
    assertEquals(
        Vectors.object("keys").get("g0_s1_block2"),
        new StrictPolicy().key(keys(manifest, 0, 1), 0));
  }

  @TestFactory
  Stream<DynamicTest> fingerprintsNameNamespaceGroupShardAndHash() {
    return Stream.of("g0_s0_block2", "g0_s1_block2")
        .map(
            name ->
                dynamicTest(
                    name,
                    () ->
                        assertEquals(
                            Vectors.object("fingerprints").get(name),
                            HexFormat.of()
                                .formatHex(
                                    keys(manifest, 0, name.charAt(4) - '0').fingerprint(0)))));
  }

  private BlockKeys keys(NamespaceManifest namespace, int group, int shard) {
    KeyChain chain =
        new KeyChain(namespace, new ChainHasher(namespace.id(), RequestScope.NONE), 64, List.of());
    chain.append(Vectors.prompt());
    return chain.keys(group, shard, 2, 3);
  }

  private KeyChain chain(RequestScope scope, int blockTokens, List<ContentItem> items) {
    return new KeyChain(manifest, new ChainHasher(manifest.id(), scope), blockTokens, items);
  }

  private static RequestScope scope(String name) {
    Map<String, Object> json =
        StrictJson.object(
            name, canonicalOf(Vectors.object("scopes").get(name)).getBytes(StandardCharsets.UTF_8));
    RequestScope scope =
        json.get("salt") == null
            ? RequestScope.NONE
            : RequestScope.salted((String) json.get("salt"));
    for (Object modifier : Vectors.list(json.get("modifiers")).reversed()) {
      Map<String, Object> m = Vectors.object(modifier);
      scope =
          scope.with(new RequestScope.Modifier((String) m.get("kind"), (String) m.get("digest")));
    }
    return scope;
  }

  private static Stream<DynamicTest> each(String part, Check check) {
    return Vectors.object(part).entrySet().stream()
        .map(e -> dynamicTest(e.getKey(), () -> check.run(e.getKey(), e.getValue())));
  }

  private interface Check {
    void run(String name, Object value) throws Exception;
  }
}

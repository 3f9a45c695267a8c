package io.kvasir.api.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvasir.api.KvasirException;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.ModelConfiguration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Every bad input of the identity gets an error that names the field and the value. */
class IdentityMessagesTest {
  private static final String RUN = "6f1d2c34-9a77-4d0e-8b2e-1f0a6c5d4e3b";
  private static final String MUTABLE =
      " can mean other weights tomorrow; write a commit, a content digest or a name that is never"
          + " used again, such as \"release-7\"";
  private static final String NFD = "Zu\u0308rich";
  private static final String NOT_NFC =
      ": \"Zu\u0308rich\" is not in Unicode form NFC; write it normalised, as \"Z\u00fcrich\"";
  private static final Object[] GROUP = {"representation", "groups", 0};

  private static void refused(String message, Executable action) {
    assertEquals(message, assertThrows(KvasirException.class, action).getMessage());
  }

  private static void manifest(String message, Map<String, Object> json) {
    refused(message, () -> NamespaceManifest.of(json));
  }

  private static void group(String message, String name, Object value) {
    manifest(message, Samples.with(value, GROUP[0], GROUP[1], GROUP[2], name));
  }

  @Test
  void weightsNamedByContentNeedADigest() {
    String message =
        "weights.content: \"%s\" is not \"sha256:\" (or \"sampled:\") and 64 lower-case"
            + " hexadecimal digits";
    refused(message.formatted("null"), () -> Weights.content(null));
    refused(message.formatted("sha256:AB"), () -> Weights.content("sha256:AB"));
    refused(
        message.formatted("md5:" + "a".repeat(64)),
        () -> Weights.fullContent("md5:" + "a".repeat(64)));
  }

  @Test
  void weightsNamedByCommitNeedAModelAndACommit() {
    refused(
        "weights.model: missing; a value is required", () -> Weights.commit(null, Samples.COMMIT));
    refused("weights.model: \" \"; a value is required", () -> Weights.commit(" ", Samples.COMMIT));
    refused("weights.model" + NOT_NFC, () -> Weights.commit(NFD, Samples.COMMIT));
    for (String commit :
        new String[] {"main", null, "", Samples.COMMIT.toUpperCase(java.util.Locale.ROOT)}) {
      refused(
          "weights.commit: \""
              + commit
              + "\" is not a commit hash; write its 40 hexadecimal digits",
          () -> Weights.commit("a/b", commit));
    }
  }

  @Test
  void weightsNamedByAnOperatorNeedAnImmutableName() {
    for (String name :
        new String[] {
          null, "", " ", "main", "MAIN", " Latest ", "refs/heads/release-7", "origin/main", "Tip"
        }) {
      refused("weights.name: \"" + name + "\"" + MUTABLE, () -> Weights.named("a/b", name));
    }
    refused("weights.name" + NOT_NFC, () -> Weights.named("a/b", NFD));
    refused("weights.model: \"\"; a value is required", () -> Weights.named("", "release-7"));
  }

  @Test
  void anUpdateNeedsARunAndAName() {
    refused("weights.run: missing; a value is required", () -> Weights.full(null, "step-1"));
    refused("weights.run: \"\"; a value is required", () -> Weights.full("", "step-1"));
    refused("weights.run" + NOT_NFC, () -> Weights.full(NFD, "step-1"));
    refused("weights.update: \"\"; a value is required", () -> Weights.full(RUN, ""));
    refused(
        "weights.run: \"\"; a value is required",
        () -> Weights.delta(Weights.content(Samples.DIGEST), "", "merge-1"));
    refused(
        "weights.update: missing; a value is required",
        () -> Weights.delta(Weights.content(Samples.DIGEST), RUN, null));
    refused(
        "weights.previous: \"base\" is not the id of a weights state",
        () -> new Weights.Delta("base", RUN, "merge-1"));
    refused(
        "weights.nonce: \"1\" is not 32 lower-case hexadecimal digits",
        () -> new Weights.Unknown("1"));
  }

  @Test
  void textThatUtf8CannotHoldIsRefusedByField() {
    refused(
        "weights.update: lone surrogate U+D800 in a string: index 1",
        () -> Weights.full(RUN, "a\uD800"));
    refused("scope.salt: U+0000 in a string: index 0", () -> RequestScope.salted("\0"));
  }

  @Test
  void aWeightsObjectHasOneOfTheKnownForms() {
    String at = "semantic.weights";
    weights(
        at + ".kind: \"other\" is not one of base, full, delta, unknown", Map.of("kind", "other"));
    weights(at + ".kind: missing; what does not apply is null", Map.of());
    weights(
        at + ".model: unknown name in a manifest",
        Map.of("kind", "base", "content", Samples.DIGEST, "model", "a/b"));
    weights(
        at + ".run: unknown name in a manifest",
        Map.of("kind", "full", "content", Samples.DIGEST, "run", RUN));
    weights(
        at + ".run: missing; what does not apply is null", Map.of("kind", "full", "update", "u"));
    weights(
        at + ".model: 7 is not a string",
        Map.of("kind", "base", "model", 7, "commit", Samples.COMMIT));
  }

  private static void weights(String message, Map<String, Object> json) {
    refused(message, () -> Weights.of(json));
  }

  @Test
  void aScopeNeedsKindsDigestsAndNormalisedSalt() {
    refused("scope.salt" + NOT_NFC, () -> RequestScope.salted(NFD));
    refused(
        "scope.modifiers.kind: \"\"; a value is required",
        () -> new RequestScope.Modifier("", Samples.DIGEST));
    refused(
        "scope.modifiers.digest: \"my-lora\" is not \"sha256:\" and 64 lower-case hexadecimal"
            + " digits",
        () -> new RequestScope.Modifier("lora", "my-lora"));
    refused(
        "scope.modifiers.digest: \"sampled:"
            + "ab".repeat(32)
            + "\" is not \"sha256:\" and 64 lower-case hexadecimal digits",
        () -> new RequestScope.Modifier("lora", "sampled:" + "ab".repeat(32)));
  }

  @Test
  void contentNeedsAPlaceAndADigest() {
    refused(
        "content item: position -1 and span 1; a position is ≥ 0 and a span ≥ 1",
        () -> new ContentItem(-1, 1, "image", new byte[32]));
    refused(
        "content item: position 0 and span 0; a position is ≥ 0 and a span ≥ 1",
        () -> new ContentItem(0, 0, "image", new byte[32]));
    refused(
        "content item kind: \"\"; a value is required",
        () -> new ContentItem(0, 1, "", new byte[32]));
    refused(
        "a content digest has 32 bytes, not 2", () -> new ContentItem(0, 1, "image", new byte[2]));
  }

  @Test
  void aNamespaceIdIs32BytesOr64Digits() {
    refused("a namespace id has 32 bytes, not 16", () -> NamespaceId.of(new byte[16]));
    refused("a namespace id has 32 bytes, not 2", () -> NamespaceId.parse("abcd"));
    String upper = "AB".repeat(32);
    refused(
        "namespace id \"" + upper + "\" is not 64 lower-case hexadecimal digits",
        () -> NamespaceId.parse(upper));
    refused(
        "namespace id \"../x\" is not 64 lower-case hexadecimal digits",
        () -> NamespaceId.parse("../x"));
  }

  @Test
  void aTenantIsRequired() {
    KvFormat format = Samples.format();
    Weights weights = Weights.content(Samples.DIGEST);
    refused(
        "tenant: missing; a value is required", () -> NamespaceManifest.of(null, weights, format));
    refused("tenant: \"\"; a value is required", () -> NamespaceManifest.of("", weights, format));
    refused("tenant" + NOT_NFC, () -> NamespaceManifest.of(NFD, weights, format));
  }

  @Test
  void aManifestThatCouldNotBeReadAgainIsNotWritten() {
    KvFormat f = Samples.format();
    KvFormat unknown =
        new KvFormat(
            ModelConfiguration.known("latest"),
            f.compute(),
            f.engine(),
            f.layout(),
            f.byteOrder(),
            f.hashing(),
            f.numerics(),
            f.groups(),
            f.shards(),
            f.extensions());
    refused(
        "semantic.config: \"latest\" is not \"sha256:\" and 64 lower-case hexadecimal digits",
        () -> NamespaceManifest.of("acme", Weights.content(Samples.DIGEST), unknown));
    refused(
        "not a JSON number: NaN",
        () ->
            NamespaceManifest.of(
                "acme", Weights.content(Samples.DIGEST), f.withExtension("acme.rate", Double.NaN)));
    refused(
        "representation.layout: null is not a string",
        () ->
            NamespaceManifest.of(
                "acme",
                Weights.content(Samples.DIGEST),
                KvFormat.of(f.config(), f.compute(), f.engine(), null, f.groups(), f.shards())));
  }

  @Test
  void unknownAndMissingNamesOfAManifestAreRefused() {
    manifest("owner: unknown name in a manifest", Samples.with("me", "owner"));
    manifest("semantic.x: unknown name in a manifest", Samples.with(1, "semantic", "x"));
    manifest(
        "semantic.compute.x: unknown name in a manifest",
        Samples.with(1, "semantic", "compute", "x"));
    manifest(
        "representation.x: unknown name in a manifest", Samples.with(1, "representation", "x"));
    group("representation.groups[0].x: unknown name in a manifest", "x", 1);
    manifest(
        "representation.shards.tp: unknown name in a manifest",
        Samples.with(1, "representation", "shards", "tp"));
    manifest("tenant: missing; what does not apply is null", Samples.without("tenant"));
    manifest(
        "representation.groups[0].window: missing; what does not apply is null",
        Samples.without("representation", "groups", 0, "window"));
  }

  @Test
  void valuesOfAnotherTypeOrMeaningAreRefused() {
    manifest(
        "schema: \"kvasir/namespace/2\" is not \"kvasir/namespace/1\"",
        Samples.with("kvasir/namespace/2", "schema"));
    manifest("semantic: [] is not an object", Samples.with(List.of(), "semantic"));
    manifest(
        "semantic.config: \"auto\" is not \"sha256:\" and 64 lower-case hexadecimal digits",
        Samples.with("auto", "semantic", "config"));
    manifest(
        "representation.groups: {} is not an array",
        Samples.with(Map.of(), "representation", "groups"));
    manifest(
        "representation.engine: null is not a string",
        Samples.with(null, "representation", "engine"));
    manifest(
        "representation.shards.scheme: \"ring\" is not \"kv-head\" or \"rank\"",
        Samples.with("ring", "representation", "shards", "scheme"));
    manifest(
        "shards.count: 0 is not in 1 … 65536",
        Samples.with(0, "representation", "shards", "count"));
    String at = "representation.groups[0].";
    group(at + "id: 1 is not its place in the list of groups", "id", 1);
    group(at + "kind: \"auto\" is not a known kind", "kind", "auto");
    group(
        at
            + "k_dtype: \"auto\" is not a known data type; there are f32, f16, bf16, fp8_e4m3,"
            + " fp8_e5m2, int8, int4, int2",
        "k_dtype",
        "auto");
    group(at + "hit: \"some\" is not \"all\" or {\"trailing\":n}", "hit", "some");
    group(at + "hit.trailing: 0 is not at least 1", "hit", Map.of("trailing", 0));
    group(at + "block_tokens: \"64\" is not an integer", "block_tokens", "64");
    group(at + "block_tokens: 64.5 is not an integer", "block_tokens", 64.5);
    group(at + "block_tokens: null is not an integer", "block_tokens", null);
    group(at + "window: 4294967296 is not a 32-bit integer", "window", 1L << 32);
    group(at + "layers: [0, -1] is not an array of layer indices", "layers", List.of(0, -1));
    group(at + "layers: [0, a] is not an array of layer indices", "layers", List.of(0, "a"));
    group(
        at + "layers: [1, 0] is not an array of layer indices in ascending order",
        "layers",
        List.of(1, 0));
    group(
        at + "layers: [1, 1] is not an array of layer indices in ascending order",
        "layers",
        List.of(1, 1));
    group(at + "quant: \"fp8\" is not an object", "quant", "fp8");
  }

  @Test
  void scalesLieInTheBlockOrHaveADigest() {
    String at = "representation.groups[0].quant.k.scales";
    scales(
        at
            + ": {digest=x, in=block} is not "
            + "in the block without a digest, or in the engine with one",
        "block",
        "x");
    scales(
        at
            + ": {digest=x, in=host} is not "
            + "in the block without a digest, or in the engine with one",
        "host",
        "x");
    scales(
        at + ".digest: \"null\" is not \"sha256:\" and 64 lower-case hexadecimal digits",
        "engine",
        null);
    scales(
        at + ".digest: \"x\" is not \"sha256:\" and 64 lower-case hexadecimal digits",
        "engine",
        "x");
  }

  private static void scales(String message, String in, String digest) {
    Map<String, Object> scales = new java.util.TreeMap<>();
    scales.put("in", in);
    scales.put("digest", digest);
    Map<String, Object> scheme = new java.util.TreeMap<>();
    scheme.put("scheme", "int");
    scheme.put("bits", 8);
    scheme.put("axis", "token");
    scheme.put("group_size", null);
    scheme.put("symmetric", true);
    scheme.put("scale_dtype", "f16");
    scheme.put("packing", null);
    scheme.put("scales", scales);
    group(message, "quant", Map.of("k", scheme, "v", scheme));
  }

  @Test
  void longValuesAreCutInAMessage() {
    manifest(
        "schema: \"" + "x".repeat(79) + "… is not \"kvasir/namespace/1\"",
        Samples.with("x".repeat(100), "schema"));
  }

  @Test
  void anEnginesHashHas16BytesAtLeast() {
    refused(
        "an engine's block hash has at least 16 bytes, not 15; shorter ones collide",
        () -> ChainHasher.bind(Samples.manifest().id(), RequestScope.NONE, new byte[15]));
  }
}

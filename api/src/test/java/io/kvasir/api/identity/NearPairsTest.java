package io.kvasir.api.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.ModelConfiguration;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Near pairs never share an identity, and the same pairs do under an encoder without tags. */
class NearPairsTest {
  private static final Weights WEIGHTS = Weights.content(Samples.DIGEST);

  private static String configuration(Map<String, Object> tree) {
    return ModelConfiguration.of(tree).digest();
  }

  private static String extensions(Map<String, Object> tree) {
    KvFormat format = Samples.format();
    for (Map.Entry<String, Object> e : tree.entrySet()) {
      format = format.withExtension(e.getKey(), e.getValue());
    }
    return NamespaceManifest.of("acme", WEIGHTS, format).id().hex();
  }

  /** The fault that the product must not have: values in a row, untyped and without delimiters. */
  private static String sloppy(Object value) {
    return switch (value) {
      case null -> "";
      case Map<?, ?> map -> {
        StringBuilder out = new StringBuilder();
        new TreeMap<>(map).forEach((n, v) -> out.append(n).append(sloppy(v)));
        yield out.toString();
      }
      case List<?> list -> {
        List<String> parts = new ArrayList<>();
        list.forEach(v -> parts.add(sloppy(v)));
        parts.sort(null);
        yield String.join("", parts);
      }
      case Double d -> Float.toString(d.floatValue());
      default ->
          Normalizer.normalize(value.toString(), Normalizer.Form.NFKC)
              .replaceAll("[^\\p{L}\\p{N}]", "");
    };
  }

  @Property
  void nearConfigurationsHaveDifferentDigests(@ForAll NearKind kind, @ForAll byte seed) {
    separates(NearPairsTest::configuration, kind, seed);
  }

  @Property(tries = 300)
  void nearExtensionsHaveDifferentNamespaces(@ForAll NearKind kind, @ForAll byte seed) {
    separates(NearPairsTest::extensions, kind, seed);
  }

  /** The test of the test: each kind of pair catches an encoder that is careless about it. */
  @Example
  void everyKindOfPairCatchesAnEncoderWithoutTags() {
    Set<NearKind> caught = EnumSet.noneOf(NearKind.class);
    for (NearKind kind : NearKind.values()) {
      try {
        separates(NearPairsTest::sloppy, kind, (byte) 3);
      } catch (AssertionError e) {
        caught.add(kind);
      }
    }
    assertEquals(EnumSet.allOf(NearKind.class), caught);
  }

  private static void separates(
      Function<Map<String, Object>, String> encoder, NearKind kind, byte seed) {
    NearKind.Pair pair = kind.pair(Integer.toString(seed & 255, 36));
    assertNotEquals(encoder.apply(pair.left()), encoder.apply(pair.right()));
  }

  @Property(tries = 300)
  void theBoundaryOfNeighbouringFieldsOfAManifestIsFixed(
      @ForAll byte seed, @ForAll boolean second) {
    KvFormat f = Samples.format();
    String text = Integer.toString(seed & 255, 36);
    boundary(text, (a, b) -> compute(f, a, b));
    boundary(text, (a, b) -> named(f, a, b));
    boundary(
        text,
        (a, b) ->
            NamespaceManifest.of("acme", second ? Weights.full(a, b) : Weights.named(a, b), f));
    boundary(text, (a, b) -> NamespaceManifest.of(a, Weights.named(b, "v1"), f));
  }

  private static NamespaceManifest compute(KvFormat f, String a, String b) {
    return NamespaceManifest.of(
        "acme",
        WEIGHTS,
        KvFormat.of(
            f.config(),
            new KvFormat.Compute(a, b),
            f.engine(),
            f.layout(),
            f.groups(),
            f.shards()));
  }

  private static NamespaceManifest named(KvFormat f, String a, String b) {
    return NamespaceManifest.of(
        "acme", WEIGHTS, KvFormat.of(f.config(), f.compute(), a, b, f.groups(), f.shards()));
  }

  private static void boundary(
      String text, BiFunction<String, String, NamespaceManifest> manifest) {
    assertNotEquals(manifest.apply(text + "x", "y").id(), manifest.apply(text, "xy").id());
    assertNotEquals(manifest.apply(text + "x", "y").id(), manifest.apply("y", text + "x").id());
  }

  @Property
  void nearScopesHaveDifferentDigests(@ForAll byte seed) {
    String a = Integer.toString(seed & 255, 36);
    RequestScope none = RequestScope.NONE;
    RequestScope.Modifier one = modifier("k" + a, "11");
    RequestScope.Modifier two = modifier("k" + a, "22");
    List<RequestScope> scopes =
        List.of(
            none,
            RequestScope.salted(""),
            RequestScope.salted(a),
            RequestScope.salted(a + "x"),
            RequestScope.salted("null"),
            RequestScope.salted("\",\"salt\":\"" + a),
            RequestScope.salted("k" + a),
            none.with(one),
            none.with(one).with(one),
            none.with(two),
            none.with(one).with(two),
            none.with(modifier("k" + a + "1", "11")),
            none.with(modifier("k", "11")),
            new RequestScope(List.of(one), a),
            new RequestScope(List.of(one), ""),
            new RequestScope(List.of(one), "k" + a));
    allDiffer(scopes.stream().map(s -> Sha256.hex(s.digest())).toList());
  }

  private static RequestScope.Modifier modifier(String kind, String fill) {
    return new RequestScope.Modifier(kind, "sha256:" + fill.repeat(32));
  }

  @Property
  void theOrderInWhichModifiersAreGivenDoesNotMatter(@ForAll byte seed) {
    RequestScope.Modifier one = modifier("k" + seed, "11");
    RequestScope.Modifier two = modifier("a", "22");
    assertEquals(
        Sha256.hex(RequestScope.NONE.with(one).with(two).digest()),
        Sha256.hex(RequestScope.NONE.with(two).with(one).digest()));
  }

  private static void allDiffer(List<String> hashes) {
    assertEquals(hashes.size(), Set.copyOf(hashes).size(), hashes::toString);
  }

  /** Hashes a block: parent, tokens, block size, items. */
  private interface Chain {
    String hash(byte[] parent, int[] tokens, int from, int count, ContentItem... items);
  }

  private static String strict(
      byte[] parent, int[] tokens, int from, int count, ContentItem... items) {
    return Sha256.hex(
        new ChainHasher(Samples.manifest().id(), RequestScope.NONE)
            .hash(parent, tokens, from, count, List.of(items)));
  }

  private static String careless(
      byte[] parent, int[] tokens, int from, int count, ContentItem... items) {
    StringBuilder out = new StringBuilder(parent == null ? "" : new String(parent, UTF_8));
    for (int i = from; i < from + count; i++) {
      out.append(tokens[i]);
    }
    for (ContentItem i : items) {
      out.append(i.position()).append(i.span()).append(i.kind()).append(i.digest()[0]);
    }
    return out.toString();
  }

  private static final java.nio.charset.Charset UTF_8 = java.nio.charset.StandardCharsets.UTF_8;

  @Property(tries = 300)
  void nearBlocksHaveDifferentHashes(@ForAll byte seed) {
    nearBlocks(NearPairsTest::strict, seed & 255);
  }

  @Example
  void nearBlocksCatchAHasherWithoutTags() {
    boolean caught = false;
    try {
      nearBlocks(NearPairsTest::careless, 5);
    } catch (AssertionError e) {
      caught = true;
    }
    assertEquals(true, caught);
  }

  private static void nearBlocks(Chain chain, int t) {
    byte[] zero = new byte[32];
    int[] tokens = {t + 1, t + 2, t + 3, t + 4};
    byte[] image = new byte[32];
    Arrays.fill(image, (byte) t);
    byte[] other = image.clone();
    other[31]++;
    ContentItem item = new ContentItem(1, 2, "image", image);
    allDiffer(
        List.of(
            chain.hash(null, tokens, 0, 4),
            chain.hash(zero, tokens, 0, 4),
            chain.hash(null, tokens, 0, 3),
            chain.hash(null, tokens, 0, 2),
            chain.hash(null, tokens, 1, 3),
            chain.hash(null, new int[] {1, 23}, 0, 2),
            chain.hash(null, new int[] {12, 3}, 0, 2),
            chain.hash(null, new int[] {3, 12}, 0, 2),
            chain.hash(null, new int[] {0}, 0, 1),
            chain.hash(null, new int[] {0, 0}, 0, 2),
            chain.hash(null, new int[] {256}, 0, 1),
            chain.hash(null, new int[] {1 << 24}, 0, 1),
            chain.hash(null, tokens, 0, 4, item),
            chain.hash(null, tokens, 0, 4, item, item),
            chain.hash(null, tokens, 0, 4, new ContentItem(1, 2, "image", other)),
            chain.hash(null, tokens, 0, 4, new ContentItem(1, 2, "image" + (char) (t + 1), image)),
            chain.hash(null, tokens, 0, 4, new ContentItem(1, 2, "imag", image)),
            chain.hash(null, tokens, 0, 4, new ContentItem(2, 2, "image", image)),
            chain.hash(null, tokens, 0, 4, new ContentItem(2, 1, "image", image)),
            chain.hash(null, tokens, 0, 4, new ContentItem(1, 3, "image", image))));
  }

  @Example
  void chainsOfOtherNamespacesAndScopesAreOthers() {
    NamespaceId id = Samples.manifest().id();
    byte[] near = id.bytes();
    near[31] ^= 1;
    int[] tokens = {1, 2, 3, 4};
    List<String> hashes = new ArrayList<>();
    for (NamespaceId namespace : List.of(id, NamespaceId.of(near))) {
      for (RequestScope scope : List.of(RequestScope.NONE, RequestScope.salted(""))) {
        hashes.add(
            Sha256.hex(new ChainHasher(namespace, scope).hash(null, tokens, 0, 4, List.of())));
        hashes.add(Sha256.hex(ChainHasher.bind(namespace, scope, new byte[16])));
        hashes.add(Sha256.hex(ChainHasher.bind(namespace, scope, new byte[17])));
      }
    }
    allDiffer(hashes);
  }
}

package io.kvasir.core.identity;

import io.kvasir.api.KvasirException;
import io.kvasir.api.identity.BlockHasher;
import io.kvasir.api.identity.ContentItem;
import io.kvasir.api.identity.IdentityPolicy;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** The part of the {@link PolicyProbe} within one namespace: scope, tokens, blocks and content. */
final class ChainProbe {
  private static final RequestScope.Modifier LORA = modifier("lora", "11");

  private final IdentityPolicy policy;
  private final NamespaceManifest namespace;
  private final Set<String> missing;
  private final int blockTokens;

  ChainProbe(IdentityPolicy policy, NamespaceManifest namespace, Set<String> missing) {
    this.policy = policy;
    this.namespace = namespace;
    this.missing = missing;
    this.blockTokens = ProbeKey.blockTokens(namespace, 0);
  }

  private static RequestScope.Modifier modifier(String kind, String fill) {
    return new RequestScope.Modifier(kind, "sha256:" + fill.repeat(32));
  }

  void scope() {
    RequestScope none = RequestScope.NONE;
    RequestScope lora = none.with(LORA);
    scopes("scope.salt", none, RequestScope.salted(""));
    scopes("scope.salt", RequestScope.salted("a"), RequestScope.salted("b"));
    scopes("scope.salt", lora, new RequestScope(List.of(LORA), "a"));
    scopes("scope.modifiers", none, lora);
    scopes("scope.modifiers", lora, lora.with(LORA));
    scopes("scope.modifiers", lora, lora.with(modifier("lora", "22")));
    scopes("scope.modifiers[].digest", lora, none.with(modifier("lora", "22")));
    scopes("scope.modifiers[].kind", lora, none.with(modifier("soft-prompt", "11")));
  }

  private void scopes(String name, RequestScope left, RequestScope right) {
    int[] tokens = ProbeKey.tokens(blockTokens);
    equal(name, () -> key(left, List.of(), tokens), () -> key(right, List.of(), tokens));
  }

  void chain() {
    int[] one = ProbeKey.tokens(blockTokens);
    int[] two = ProbeKey.tokens(2 * blockTokens);
    tokens("tokens", one, changed(one, 0));
    tokens("tokens", one, changed(one, blockTokens - 1));
    tokens("tokens of the blocks before", two, changed(two, 0));
    boundary(two);
    byte[] digest = new byte[32];
    byte[] other = new byte[32];
    other[31] = 1;
    ContentItem item = new ContentItem(0, 1, "image", digest);
    items("content", List.of(), List.of(item));
    items("content.digest", List.of(item), List.of(new ContentItem(0, 1, "image", other)));
    items("content.kind", List.of(item), List.of(new ContentItem(0, 1, "audio", digest)));
    items("content.span", List.of(item), List.of(new ContentItem(0, 2, "image", digest)));
    if (blockTokens > 1) {
      items("content.position", List.of(item), List.of(new ContentItem(1, 1, "image", digest)));
    }
  }

  private static int[] changed(int[] tokens, int at) {
    int[] out = Arrays.copyOf(tokens, tokens.length);
    out[at] += 7;
    return out;
  }

  private void tokens(String name, int[] left, int[] right) {
    equal(
        name,
        () -> key(RequestScope.NONE, List.of(), left),
        () -> key(RequestScope.NONE, List.of(), right));
  }

  private void items(String name, List<ContentItem> left, List<ContentItem> right) {
    int[] tokens = ProbeKey.tokens(blockTokens);
    equal(
        name,
        () -> key(RequestScope.NONE, left, tokens),
        () -> key(RequestScope.NONE, right, tokens));
  }

  /** One block of 2n tokens against the second of two blocks of n: the bytes are of other sizes. */
  private void boundary(int[] two) {
    BlockHasher hasher = policy.hasher(namespace, RequestScope.NONE);
    byte[] whole = hasher.hash(null, two, 0, 2 * blockTokens, List.of());
    byte[] first = hasher.hash(null, two, 0, blockTokens, List.of());
    byte[] second = hasher.hash(first, two, blockTokens, blockTokens, List.of());
    if (Arrays.equals(whole, second) || Arrays.equals(whole, first)) {
      missing.add("block boundary");
    }
  }

  private ProbeKey key(RequestScope scope, List<ContentItem> items, int[] tokens) {
    return ProbeKey.last(policy, namespace, 0, 0, scope, items, tokens);
  }

  private void equal(String name, Key left, Key right) {
    try {
      if (left.get().shares(right.get())) {
        missing.add(name);
      }
    } catch (KvasirException e) {
      // refused: nothing is shared
    }
  }

  private interface Key {
    ProbeKey get();
  }
}

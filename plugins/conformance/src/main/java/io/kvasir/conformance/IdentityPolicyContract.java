package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.kvasir.api.KvasirException;
import io.kvasir.api.identity.BlockHasher;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.ContentItem;
import io.kvasir.api.identity.IdentityPolicy;
import io.kvasir.api.identity.KeyChain;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.identity.Weights;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Test;

/** What every identity policy keeps: R-POL. A policy may add to the identity, never take away. */
@DisplayNameGeneration(RuleNames.class)
public abstract class IdentityPolicyContract {
  private static final NamespaceManifest BASE = Manifests.of("team", 4096);

  /** {@return the policy under test, configured} */
  protected abstract IdentityPolicy policy();

  /** {@return whether the policy is one that an operator must call unsafe} */
  protected boolean unsafe() {
    return false;
  }

  /** {@return the keys that a store would see, as text: namespace, hash and flat key} */
  private List<String> keys(NamespaceManifest deployment, RequestScope scope, int[] tokens) {
    return keys(deployment, scope, tokens, List.of());
  }

  private List<String> keys(
      NamespaceManifest deployment, RequestScope scope, int[] tokens, List<ContentItem> items) {
    IdentityPolicy policy = policy();
    NamespaceManifest namespace = policy.namespace(deployment);
    KeyChain chain =
        new KeyChain(namespace, policy.hasher(namespace, scope), Manifests.BLOCK_TOKENS, items);
    chain.append(tokens);
    List<String> out = new ArrayList<>();
    for (int shard = 0; shard < namespace.shards(); shard++) {
      for (int group = 0; group < namespace.groups(); group++) {
        BlockKeys keys = chain.keys(group, shard, 0, chain.blocks());
        for (int i = 0; i < keys.count(); i++) {
          out.add(policy.key(keys, i));
        }
      }
    }
    return out;
  }

  private void disjoint(String what, List<String> some, List<String> others) {
    Set<String> both = new HashSet<>(some);
    both.retainAll(others);
    assertEquals(Set.of(), both, "keys that do not change with " + what);
  }

  @Test
  @Rule("R-POL-1")
  void everyFieldOfTheManifestChangesEveryKey() {
    assumeFalse(unsafe(), "an unsafe policy loses fields: that is why it is unsafe");
    int[] tokens = Chains.tokens(1, 3);
    List<String> base = keys(BASE, RequestScope.NONE, tokens);
    Manifests.oneFieldChanged("team", 4096)
        .forEach((name, changed) -> disjoint(name, base, keys(changed, RequestScope.NONE, tokens)));
    assertEquals(base, keys(Manifests.of("team", 4096), RequestScope.NONE, tokens));
  }

  @Test
  @Rule("R-POL-2")
  void everyThingOfTheRequestChangesTheKeysFromThereOn() {
    assumeFalse(unsafe(), "an unsafe policy loses things: that is why it is unsafe");
    int[] tokens = Chains.tokens(1, 3);
    List<String> base = keys(BASE, RequestScope.NONE, tokens);
    List<RequestScope> scopes =
        List.of(
            RequestScope.salted(""),
            RequestScope.salted("a"),
            RequestScope.salted("b"),
            RequestScope.NONE.with(new RequestScope.Modifier("lora", "sha256:" + "ab".repeat(32))),
            RequestScope.NONE.with(new RequestScope.Modifier("lora", "sha256:" + "cd".repeat(32))));
    List<List<String>> all = new ArrayList<>(List.of(base));
    scopes.forEach(scope -> all.add(keys(BASE, scope, tokens)));
    byte[] digest = new byte[32];
    digest[31] = 1;
    all.add(
        keys(
            BASE,
            RequestScope.NONE,
            tokens,
            List.of(new ContentItem(2, 3, "image", new byte[32]))));
    all.add(keys(BASE, RequestScope.NONE, tokens, List.of(new ContentItem(2, 3, "image", digest))));
    for (int i = 0; i < all.size(); i++) {
      for (int j = 0; j < i; j++) {
        disjoint("scope or content " + i + " and " + j, all.get(i), all.get(j));
      }
    }
    int[] last = tokens.clone();
    last[last.length - 1] ^= 1;
    List<String> changed = keys(BASE, RequestScope.NONE, last);
    assertEquals(base.subList(0, 2), changed.subList(0, 2), "blocks before the change");
    assertNotEquals(base.get(2), changed.get(2), "the block with the change");
  }

  @Test
  @Rule("R-POL-3")
  void firstTokenChangesEveryKeyOfTheChain() {
    int[] tokens = Chains.tokens(1, 4);
    int[] other = tokens.clone();
    other[0] ^= 1;
    disjoint(
        "the first token",
        keys(BASE, RequestScope.NONE, tokens),
        keys(BASE, RequestScope.NONE, other));
  }

  @Test
  @Rule("R-POL-4")
  void groupsShardsAndBlocksHaveKeysOfTheirOwn() {
    int groups = hasKeysFor(Manifests.sharded("team", 4096, 2, 2)) ? 2 : 1;
    List<String> keys =
        keys(Manifests.sharded("team", 4096, groups, 2), RequestScope.NONE, Chains.tokens(1, 5));
    assertEquals(groups * 10, keys.size());
    assertEquals(
        groups * 10, new HashSet<>(keys).size(), "keys of 2 shards × the groups × 5 blocks");
  }

  /** An unsafe policy may refuse a second group; a safe one must not. */
  private boolean hasKeysFor(NamespaceManifest manifest) {
    try {
      policy().namespace(manifest);
      return true;
    } catch (KvasirException e) {
      assertTrue(unsafe(), e.getMessage());
      return false;
    }
  }

  @Test
  @Rule("R-POL-5")
  void sameInputsGiveTheSameKeysFromAnyInstanceAndThread() {
    int[] tokens = Chains.tokens(1, 20);
    List<String> base = keys(BASE, RequestScope.NONE, tokens);
    Crew crew = new Crew();
    for (int i = 0; i < 3; i++) {
      crew.start(
          "thread " + i,
          () -> {
            for (int turn = 0; turn < 20; turn++) {
              assertEquals(base, keys(BASE, RequestScope.NONE, tokens));
            }
          });
    }
    crew.join();
    BlockHasher hasher = policy().hasher(policy().namespace(BASE), RequestScope.NONE);
    byte[] first = hasher.hash(null, tokens, 0, Manifests.BLOCK_TOKENS, List.of());
    byte[] again = hasher.hash(null, tokens, 0, Manifests.BLOCK_TOKENS, List.of());
    assertArrayEquals(first, again);
    assertEquals(32, first.length);
  }

  /** Nothing that a user typed is part of a key. */
  @Test
  @Rule("R-POL-6")
  void keysHoldNothingThatAUserTyped() {
    assumeFalse(unsafe(), "an unsafe policy keeps the names of others");
    NamespaceManifest odd =
        NamespaceManifest.of(
            "../évil tenant", Weights.named("../m0del", "r3lease"), Manifests.format(4096));
    for (String key : keys(odd, RequestScope.salted("s4lt"), Chains.tokens(1, 2))) {
      assertTrue(key.matches("[a-z0-9:._-]+"), key);
      assertTrue(key.length() <= 250, "longer than stores take: " + key);
    }
  }

  @Test
  @Rule("R-POL-7")
  void settingThatNobodyKnowsIsRefusedByName() {
    KvasirException e =
        assertThrows(
            KvasirException.class, () -> policy().configured(Map.of("no_such_setting", "x")));
    assertTrue(e.getMessage().contains("no_such_setting"), e.getMessage());
  }

  @Test
  @Rule("R-POL-8")
  void sharedNamespaceIsNeverAStrictOne() {
    NamespaceManifest namespace = policy().namespace(BASE);
    if (!namespace.equals(BASE)) {
      assertTrue(unsafe(), "a policy that reduces the namespace is unsafe");
      String json = new String(namespace.canonical(), java.nio.charset.StandardCharsets.UTF_8);
      assertTrue(json.contains("\"schema\":\"kvasir/policy/"), json);
    }
    assertEquals(namespace, policy().namespace(Manifests.of("team", 4096)));
  }

  @Test
  @Rule("R-POL-9")
  void nameIsOneThatAConfigurationCanHold() {
    assertTrue(policy().name().matches("[a-z][a-z0-9-]{0,31}"), policy().name());
  }
}

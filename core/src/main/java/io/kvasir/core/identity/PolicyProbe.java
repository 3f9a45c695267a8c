package io.kvasir.core.identity;

import io.kvasir.api.KvasirException;
import io.kvasir.api.identity.IdentityPolicy;
import io.kvasir.api.identity.NamespaceManifest;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Holds a policy to its rule: it may add to the identity and never take away. Derives the keys of a
 * deployment and of its mutations in each single field of manifest, scope and chain; whatever gives
 * an equal key is missing from the policy's identity.
 *
 * <p>Two keys are equal if they are on <em>any</em> backend: as text, or as namespace and hash.
 * What the policy refuses is not shared and so not missing.
 */
public final class PolicyProbe {
  private final IdentityPolicy policy;
  private final NamespaceManifest deployment;
  private final Set<String> missing = new LinkedHashSet<>();

  private PolicyProbe(IdentityPolicy policy, NamespaceManifest deployment) {
    this.policy = policy;
    this.deployment = deployment;
  }

  /**
   * {@return the fields that do not tell two keys of the policy apart, empty for a safe one}
   *
   * @param policy with its settings
   * @param deployment the manifest, not one that a policy reduced
   * @throws KvasirException if the policy has no key for the deployment itself
   */
  public static List<String> missing(IdentityPolicy policy, NamespaceManifest deployment) {
    PolicyProbe probe = new PolicyProbe(policy, deployment);
    probe.manifest();
    ChainProbe chain = new ChainProbe(policy, policy.namespace(deployment), probe.missing);
    chain.scope();
    chain.chain();
    probe.groupsAndShards();
    return List.copyOf(probe.missing);
  }

  /**
   * {@return the fields that are missing from the policy's identity, for a warning}
   *
   * @param unsafe whether the operator takes the risk
   * @throws KvasirException if there are any and the operator does not; it names them
   */
  public static List<String> check(
      IdentityPolicy policy, NamespaceManifest deployment, boolean unsafe) {
    List<String> missing = missing(policy, deployment);
    if (!missing.isEmpty() && !unsafe) {
      throw new KvasirException(
          ("identity.policy: \"%s\" gives equal keys to deployments or requests that differ in %s;"
               + " use \"strict\", or write \"unsafe\": true to let them read each other's blocks")
              .formatted(policy.name(), String.join(", ", missing)));
    }
    return missing;
  }

  private void manifest() {
    List<ProbeKey> keys = keys(deployment);
    for (Mutations.Mutation mutation : Mutations.of(deployment.json())) {
      if (missing.contains(mutation.field())) {
        continue;
      }
      Optional<NamespaceManifest> other = read(mutation.json());
      if (other.isPresent() && !other.get().equals(deployment)) {
        try {
          if (anyEqual(keys, keys(other.get()))) {
            missing.add(mutation.field());
          }
        } catch (KvasirException e) {
          // refused: nothing is shared
        }
      }
    }
  }

  private static boolean anyEqual(List<ProbeKey> left, List<ProbeKey> right) {
    for (int group = 0; group < Math.min(left.size(), right.size()); group++) {
      if (left.get(group).shares(right.get(group))) {
        return true;
      }
    }
    return false;
  }

  /** A manifest that the schema refuses is nobody's deployment. */
  Optional<NamespaceManifest> read(Map<String, Object> json) {
    try {
      return Optional.of(NamespaceManifest.of(json).withLabels(deployment.labels()));
    } catch (KvasirException e) {
      return Optional.empty();
    }
  }

  private List<ProbeKey> keys(NamespaceManifest manifest) {
    NamespaceManifest namespace = policy.namespace(manifest);
    List<ProbeKey> out = new ArrayList<>();
    for (int group = 0; group < manifest.groups(); group++) {
      out.add(ProbeKey.first(policy, namespace, group, 0));
    }
    return out;
  }

  /** The places of a block: asked of the deployment with one more group and two shards. */
  private void groupsAndShards() {
    for (Mutations.Mutation mutation : Mutations.of(deployment.json())) {
      boolean groups = mutation.field().equals("representation.groups");
      if (groups || mutation.field().equals("representation.shards")) {
        Optional<NamespaceManifest> wide = read(mutation.json());
        if (wide.isPresent() && (groups ? wide.get().groups() : wide.get().shards()) > 1) {
          place(groups ? "key.group" : "key.shard", wide.get(), groups);
        }
      }
    }
  }

  private void place(String name, NamespaceManifest wide, boolean groups) {
    try {
      NamespaceManifest namespace = policy.namespace(wide);
      int last = wide.groups() - 1; // the added group is a copy of the one before
      ProbeKey one = ProbeKey.first(policy, namespace, groups ? last - 1 : 0, 0);
      ProbeKey other = ProbeKey.first(policy, namespace, groups ? last : 0, groups ? 0 : 1);
      if (one.text().equals(other.text())) {
        missing.add(name);
      }
    } catch (KvasirException e) {
      // refused: nothing is shared
    }
  }
}

package io.kvasir.core.connector;

import io.kvasir.api.KvasirException;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.Weights;
import java.util.HashMap;
import java.util.Map;

/**
 * The updates of a connector's weights: one name never means two contents, and no namespace is used
 * for two. Guarded by its user.
 */
final class UpdateHistory {
  private final Map<String, Weights> committed = new HashMap<>();
  private final Map<NamespaceId, String> owners = new HashMap<>();

  /**
   * Refuses a state that cannot follow the one in force.
   *
   * @throws KvasirException if the update was committed before with another content, or is a delta
   *     to another state
   */
  void require(Weights next, Weights inForce) {
    String name = name(next);
    Weights before = name == null ? null : committed.get(name);
    if (before != null && !before.equals(next)) {
      throw new KvasirException(
          "weights update %s was committed before as %s and is now %s; give it another name"
              .formatted(name, before.sorted(), next.sorted()));
    }
    boolean again = next.hexId().equals(inForce.hexId());
    if (!again && next instanceof Weights.Delta d && !d.previous().equals(inForce.hexId())) {
      throw new KvasirException(
          "weights.previous: %s is not the state in force, %s; give Weights.delta(namespace().weights(), …)"
              .formatted(d.previous(), inForce.hexId()));
    }
    if (name != null) {
      committed.put(name, next);
    }
  }

  /**
   * {@return whether a namespace holds the blocks of these weights, as far as this connector used
   * it: a policy that reduces manifests may give the same one to others}
   */
  boolean owns(NamespaceManifest namespace, Weights weights) {
    String first = owners.putIfAbsent(namespace.id(), weights.hexId());
    return first == null || first.equals(weights.hexId());
  }

  private static String name(Weights weights) {
    return switch (weights) {
      case Weights.FullUpdate f -> f.run() + "/" + f.update();
      case Weights.Delta d -> d.run() + "/" + d.update();
      case Weights.BaseContent _,
          Weights.BaseCommit _,
          Weights.BaseName _,
          Weights.FullContent _,
          Weights.Unknown _ ->
          null;
    };
  }
}

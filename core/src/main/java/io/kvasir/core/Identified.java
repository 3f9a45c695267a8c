package io.kvasir.core;

import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.core.identity.PolicyChoice;

/**
 * What a deployment's blocks mean, and how they are named.
 *
 * @param deployment the deployment's own manifest
 * @param policy the policy, probed
 */
public record Identified(NamespaceManifest deployment, PolicyChoice policy) {
  /** {@return the namespace that the blocks are kept in} */
  public NamespaceManifest namespace() {
    return policy.policy().namespace(deployment);
  }
}

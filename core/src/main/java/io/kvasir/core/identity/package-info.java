/**
 * Identity at work: reading JSON without ambiguity, verifying stored manifests, the two built-in
 * policies, and the checks around them.
 *
 * <p>Start at {@link io.kvasir.core.identity.PolicyChoice}, which turns the object {@code identity}
 * of a configuration into a policy that was probed. {@link io.kvasir.core.identity.StoredManifest}
 * verifies what a store kept; {@link io.kvasir.core.identity.Explain} says why two deployments do
 * not share.
 */
package io.kvasir.core.identity;

/**
 * Identity at work: reading JSON without ambiguity, verifying stored manifests, the two built-in
 * policies, and the checks around them.
 *
 * <p>{@link io.kvasir.core.identity.StoredManifest} verifies what a store kept.
 */
package io.kvasir.core.identity;

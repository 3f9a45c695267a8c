/**
 * Key identity: what decides whether the bytes of a block mean the same to two deployments.
 *
 * <p>Three levels, from the outside in: the {@linkplain io.kvasir.api.identity.NamespaceManifest
 * namespace} (constant for a deployment), the {@linkplain io.kvasir.api.identity.RequestScope
 * scope} (constant for a request) and the {@linkplain io.kvasir.api.identity.KeyChain chain}
 * (tokens, block by block). Start at {@link io.kvasir.api.identity.NamespaceManifest}; {@link
 * io.kvasir.api.identity.IdentityPolicy} is the SPI for other ways to name a block.
 */
package io.kvasir.api.identity;

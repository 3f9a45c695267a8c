/**
 * The runtime behind {@code Kvasir.open}. {@link io.kvasir.core.Deployment} takes a configuration
 * apart: plugins, store, identity; the runtime adds the connectors. What each part does lies in the
 * packages beside this one.
 */
package io.kvasir.core;

/**
 * The kit that every backend, transfer path, identity policy and connector passes. A backend's
 * tests extend {@link io.kvasir.conformance.StoreContract} and give its provider and a
 * configuration; capabilities are read from its descriptor. Randomness prints its seed.
 *
 * <p>Each test proves one rule and bears its number ({@link io.kvasir.conformance.Rule}). The
 * rules, why they are there and what was seen where they do not hold: {@code docs/spec}.
 */
package io.kvasir.conformance;

/**
 * Replays the requests of a trace against eviction policies: the product's own, by a real store of
 * small blocks, and simulated ones. {@link io.kvasir.benchmarks.policies.Policies} is the program.
 */
package io.kvasir.benchmarks.policies;

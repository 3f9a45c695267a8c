/**
 * Stores that stand before another one: {@link io.kvasir.conformance.wrap.CheckedStore} holds both
 * sides to the contract, {@link io.kvasir.conformance.wrap.FaultyStore} lets calls fail by plan,
 * {@link io.kvasir.conformance.wrap.RecordingStore} remembers what was called and what came of it.
 * They can be stacked; {@link io.kvasir.conformance.wrap.ForwardingStore} is where a further one
 * begins.
 */
package io.kvasir.conformance.wrap;

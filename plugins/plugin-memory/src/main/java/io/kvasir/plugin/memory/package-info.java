/**
 * A store in memory that fails on demand: for tests of the core, of engines, and of the conformance
 * kit. Start at {@link io.kvasir.plugin.memory.MemoryStoreProvider}; what can go wrong, and how
 * often, is in {@link io.kvasir.plugin.memory.MemoryConfiguration}.
 */
package io.kvasir.plugin.memory;

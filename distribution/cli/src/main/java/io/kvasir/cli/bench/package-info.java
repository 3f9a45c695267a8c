/**
 * How fast a store is, as a ratio to the disk under it. Start at {@link
 * io.kvasir.cli.bench.Interleaved}: rounds of a store lie between rounds of raw I/O on the same
 * region of the same file, from the same memory.
 */
package io.kvasir.cli.bench;

/**
 * How fast the local store is, as a ratio to the disk under it: {@link
 * io.kvasir.cli.bench.DiskBench}, whose rounds of raw I/O lie in the store's own file.
 */
package io.kvasir.cli.bench;

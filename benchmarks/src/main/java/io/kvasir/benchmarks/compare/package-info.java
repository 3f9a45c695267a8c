/**
 * Measures stores against raw I/O of the same minute and against each other. {@link
 * io.kvasir.benchmarks.compare.Compare} is the program; {@code PeerRun} shows how rounds are made.
 */
package io.kvasir.benchmarks.compare;

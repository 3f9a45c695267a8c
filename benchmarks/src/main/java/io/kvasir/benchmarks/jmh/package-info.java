/** JMH benchmarks of what a block costs without a disk; {@code benchmarks/jmh} runs them. */
package io.kvasir.benchmarks.jmh;

/**
 * What the programs of this module share: {@link io.kvasir.benchmarks.common.Stores} opens a store
 * by its SPI, {@link io.kvasir.benchmarks.common.Chains} makes keys for it.
 */
package io.kvasir.benchmarks.common;

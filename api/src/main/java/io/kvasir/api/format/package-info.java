/**
 * What the bytes of a block mean: groups of layers, heads, sizes, data types, quantisation and
 * shards, with nothing left at {@code auto}. Start at {@link io.kvasir.api.format.KvFormat}; a
 * {@link io.kvasir.api.format.FormatResolver} makes one from what an engine and a model directory
 * say.
 */
package io.kvasir.api.format;

/**
 * What a block of a real model means: the resolvers {@code hf} (a model directory's {@code
 * config.json}), {@code lmdeploy} (the same, with LMDeploy's settings), {@code gguf} (the header of
 * a GGUF file) and {@code explicit} (everything declared).
 *
 * <p>A model is read by the rules of its class, which are data beside this package: {@code classes}
 * holds a file per family with names, defaults, layer patterns and sizes, {@code layers.json} what
 * a kind of layers keeps, {@code rope.json} the parameters of each RoPE, {@code engines.json} and
 * {@code cache-types.json} the KV types of engines, {@code gguf.json} the architectures of GGUF,
 * {@code cosmetic.json} and {@code common.json} the names that say nothing about K and V. To add a
 * class is to add its entry and a test.
 *
 * <p>The way of a configuration: {@link io.kvasir.core.format.HfResolver}, then {@code
 * NormalConfig}, which brings it into one spelling with {@code Rope} and {@code LayerList}; {@code
 * LayerSlots}, what each layer keeps; {@code Groups}.
 */
package io.kvasir.core.format;

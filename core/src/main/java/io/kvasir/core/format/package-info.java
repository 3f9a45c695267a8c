/**
 * What a block of a real model means: the resolvers {@code hf} (a model directory's {@code
 * config.json}), {@code lmdeploy} (the same, with LMDeploy's settings) and {@code explicit}
 * (everything declared).
 *
 * <p>A model is read by the rules of its class, which are data: {@code classes.json} beside this
 * package holds defaults and rules, {@code rope.json} the parameters of each RoPE, {@code
 * cache-types.json} the KV types of engines, {@code cosmetic.json} the names that say nothing about
 * K and V. Start at {@link io.kvasir.core.format.HfResolver}.
 */
package io.kvasir.core.format;

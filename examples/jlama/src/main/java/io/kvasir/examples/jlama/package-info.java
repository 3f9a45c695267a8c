/**
 * Jlama as a client of Kvasir: a real engine whose keys and values survive its process.
 *
 * <p>Start with {@link io.kvasir.examples.jlama.JlamaEngine}, which is all that an engine has to
 * do; {@link io.kvasir.examples.jlama.KvPages} shows where Jlama keeps a block, {@link
 * io.kvasir.examples.jlama.JlamaFormatResolver} says what its bytes mean. {@link
 * io.kvasir.examples.jlama.Demo} runs it all in fresh JVMs and judges the outcome.
 */
package io.kvasir.examples.jlama;

/** An engine that keeps its KV cache in Kvasir: {@link io.kvasir.examples.embedding.TinyEngine}. */
package io.kvasir.examples.embedding;

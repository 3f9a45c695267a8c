package io.kvasir.api.format;

import io.kvasir.api.EngineSpec;

/**
 * SPI: says what the bytes of an engine's blocks mean, with nothing left at {@code auto}.
 *
 * <p>Found by {@link java.util.ServiceLoader}: in the core ({@code hf}, {@code lmdeploy}, {@code
 * explicit}, {@code gguf}), with an engine ({@code jlama}), or in a plugin. Called once per
 * connector, on the caller's thread.
 */
public interface FormatResolver {
  /** {@return the name by which a specification asks for it} */
  String name();

  /**
   * Resolves a format. The same specification always gives the same format; two spellings of one
   * meaning give one format; what is not understood is in {@link KvFormat#config()}.
   *
   * @param spec engine, model directory, block size and settings
   * @return the format, complete
   * @throws FormatException if a field is missing, contradicting or not understood; the message
   *     names it, its value, and what to declare instead. Nothing is left open or changed
   */
  KvFormat resolve(EngineSpec spec);
}

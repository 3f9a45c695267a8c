package io.kvasir.core.format;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.format.FormatResolver;
import io.kvasir.api.format.KvFormat;

/**
 * Resolves the format of a GGUF file from its header: the model is the file, or a directory with
 * one. The settings are those of {@link HfResolver}, and the model's class decides as it does
 * there; where the engine has no type of its own, {@code dtype} must be given, because the header
 * has none.
 */
public final class GgufResolver implements FormatResolver {
  /** Creates the resolver. */
  public GgufResolver() {}

  @Override
  public String name() {
    return "gguf";
  }

  @Override
  public KvFormat resolve(EngineSpec spec) {
    return HfResolver.resolve(spec, name(), ModelFiles::gguf);
  }
}

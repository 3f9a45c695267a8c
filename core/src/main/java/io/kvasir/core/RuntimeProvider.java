package io.kvasir.core;

import io.kvasir.api.Kvasir;
import io.kvasir.api.KvasirProvider;
import java.nio.file.Path;

/** The entry that {@link Kvasir#open} finds. */
public final class RuntimeProvider implements KvasirProvider {
  /** Called by {@link java.util.ServiceLoader}. */
  public RuntimeProvider() {}

  @Override
  public Kvasir open(Path configuration) {
    return KvasirRuntime.open(configuration, Parts::connect);
  }
}

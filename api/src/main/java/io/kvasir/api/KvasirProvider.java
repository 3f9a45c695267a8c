package io.kvasir.api;

import java.nio.file.Path;

/** SPI of the core: the implementation behind {@link Kvasir#open}. */
public interface KvasirProvider {
  /** {@return the running Kvasir that the configuration describes} */
  Kvasir open(Path configuration);
}

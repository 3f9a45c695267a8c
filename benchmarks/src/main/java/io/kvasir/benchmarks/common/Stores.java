package io.kvasir.benchmarks.common;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreProvider;
import java.io.IOException;
import java.util.Map;
import java.util.ServiceLoader;

/** The stores of this repository, opened by their SPI. */
public final class Stores {
  private Stores() {}

  /**
   * Opens a store.
   *
   * @param name as its descriptor gives it
   * @param settings by the names of the components of its configuration record; the others have
   *     their defaults
   */
  public static Store open(String name, Map<String, String> settings) throws StoreException {
    return ServiceLoader.load(StoreProvider.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(provider -> provider.descriptor().name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no store " + name + " on the class path"))
        .open(new StoreSettings(settings));
  }

  /**
   * Looks at what a call of a store left.
   *
   * @throws IOException if a block did not end {@code OK}
   */
  public static void check(Blocks blocks) throws IOException {
    for (int i = 0; i < blocks.count(); i++) {
      if (blocks.status(i) != BlockStatus.OK) {
        throw new IOException(
            "block %d of %s: %s, %s".formatted(i, blocks.keys(), blocks.status(i), blocks.cause(i)),
            blocks.cause(i));
      }
    }
  }
}

package io.kvasir.plugin.mooncake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvasir.api.store.StoreException;
import org.junit.jupiter.api.Test;

class MooncakeProviderTest {
  @Test
  void openingSaysThatItIsNotAvailableAndWhatToUse() {
    StoreException e = assertThrows(StoreException.class, () -> new MooncakeProvider().open(null));

    assertEquals(StoreException.Kind.CONFIGURATION, e.kind());
    assertEquals(
        "store.mooncake: not available in this version of Kvasir, which has no binding of"
            + " libmooncake_store.so yet; use the store \"local\", or leave the cache out",
        e.getMessage());
  }
}

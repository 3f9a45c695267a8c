package io.kvasir.api.store;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

class StoreExceptionTest {
  @Test
  void aDevicesFailureNamesThePlace() throws Exception {
    IOException cause = new IOException("gone");
    StoreException e = thrown(failing(cause));
    assertEquals("shelf/7: java.io.IOException: gone", e.getMessage());
    assertEquals(StoreException.Kind.IO, e.kind());
    assertSame(cause, e.getCause());
    assertEquals(4, StoreException.orIo("shelf/7", () -> 4));
  }

  @Test
  void aStoresOwnFailureAndAMistakePassAsTheyAre() {
    StoreException full = new StoreException(StoreException.Kind.CAPACITY, "full");
    assertSame(full, thrown(failing(full)));
    UncheckedIOException mistake = new UncheckedIOException(new IOException("x"));
    assertSame(
        mistake,
        assertThrows(
            UncheckedIOException.class, () -> StoreException.orIo("shelf/7", failing(mistake))));
  }

  @Test
  void aManifestThatIsAnothersIsAMismatch() {
    var manifest = SealedBlockTest.manifest();
    byte[] stored = manifest.canonical();
    assertDoesNotThrow(() -> StoreException.unlessSame("m.json", stored, manifest));
    stored[0]++;
    StoreException e =
        assertThrows(
            StoreException.class, () -> StoreException.unlessSame("m.json", stored, manifest));
    assertEquals(StoreException.Kind.MISMATCH, e.kind());
    assertEquals(
        "m.json: %d bytes that are not the manifest of namespace %s: it is corrupt, or another namespace's; restore it, or remove the namespace"
            .formatted(stored.length, manifest.id()),
        e.getMessage());
  }

  private static Callable<Object> failing(Exception e) {
    return () -> {
      throw e;
    };
  }

  private static StoreException thrown(Callable<Object> action) {
    return assertThrows(StoreException.class, () -> StoreException.orIo("shelf/7", action));
  }
}

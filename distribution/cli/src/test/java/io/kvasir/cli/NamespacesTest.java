package io.kvasir.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvasir.api.KvasirException;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.store.NamespaceSummary;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NamespacesTest {
  private static final String FIRST = "ab".repeat(32);
  private static final String SECOND = "ab".repeat(16) + "cd".repeat(16);
  private static final List<NamespaceSummary> ALL = List.of(summary(FIRST), summary(SECOND));

  @Test
  void enoughDigitsNameOne() {
    assertEquals(SECOND, Namespaces.named("ab".repeat(16) + "CD", ALL).id().hex());
  }

  @Test
  void digitsThatFitNoneNameNone() {
    assertNull(Namespaces.named("0123456789", ALL));
  }

  @Test
  void digitsThatFitSeveralAreRefused() {
    assertEquals(
        "\"abababab\" fits 2 namespaces; give more digits",
        assertThrows(KvasirException.class, () -> Namespaces.named("abababab", ALL)).getMessage());
  }

  @Test
  void tooFewDigitsAreRefused() {
    assertEquals(
        "\"ab\" names no namespace; give 8 or more of its hexadecimal digits, as kvasir ls shows"
            + " them",
        assertThrows(KvasirException.class, () -> Namespaces.named("ab", ALL)).getMessage());
  }

  private static NamespaceSummary summary(String id) {
    return new NamespaceSummary(
        NamespaceId.parse(id),
        new byte[0],
        Optional.empty(),
        Map.of(),
        0,
        0,
        Instant.EPOCH,
        Instant.EPOCH,
        Optional.empty());
  }
}

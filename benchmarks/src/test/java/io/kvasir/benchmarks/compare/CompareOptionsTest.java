package io.kvasir.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class CompareOptionsTest {
  @Test
  void withoutArgumentsEverythingIsMeasured() {
    CompareOptions options = CompareOptions.parse(List.of());
    assertFalse(options.quick());
    assertFalse(options.json());
    assertTrue(options.all());
    assertEquals(List.of(PeerKind.values()), options.peers());
  }

  @Test
  void everyOptionIsTaken() {
    CompareOptions options =
        CompareOptions.parse(
            List.of("--json", "--quick", "--dir", "/a/b", "--only", "redis,rocksdb-wal"));
    assertTrue(options.quick());
    assertTrue(options.json());
    assertFalse(options.all());
    assertEquals(Path.of("/a/b"), options.directory());
    assertEquals(List.of(PeerKind.REDIS, PeerKind.ROCKSDB_WAL), options.peers());
  }

  @Test
  void whatCannotBeMeantIsNamed() {
    assertRefused("\"--fast\"", "--fast");
    assertRefused("--dir wants a value", "--dir");
    assertRefused("no store \"mysql\"", "--only", "local,mysql");
    assertRefused("rocksdb-wal", "--only", "mysql");
  }

  @Test
  void theUsageNamesEveryStore() {
    for (PeerKind kind : PeerKind.values()) {
      assertTrue(CompareOptions.USAGE.contains(kind.id()), kind.id());
    }
  }

  private static void assertRefused(String naming, String... arguments) {
    Exception e =
        assertThrows(
            IllegalArgumentException.class, () -> CompareOptions.parse(List.of(arguments)));
    assertTrue(e.getMessage().contains(naming), e.getMessage());
  }
}

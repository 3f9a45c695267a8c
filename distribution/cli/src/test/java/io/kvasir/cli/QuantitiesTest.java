package io.kvasir.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuantitiesTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0 B",
    "999, 999 B",
    "1000, 1.0 KiB",
    "1024, 1.0 KiB",
    "10240, 10 KiB",
    "1048576, 1.0 MiB",
    "1073741824, 1.0 GiB",
    "9223372036854775807, 8192 PiB"
  })
  void aSizeHasTheUnitThatFits(long bytes, String text) {
    assertEquals(text, Quantities.bytes(bytes));
  }

  @ParameterizedTest
  @CsvSource({
    "-5, now",
    "0, now",
    "1, 1 s ago",
    "59, 59 s ago",
    "60, 1 min ago",
    "3600, 1 h ago",
    "86399, 23 h ago",
    "86400, 1 d ago"
  })
  void anAgeHasTheUnitThatFits(long seconds, String text) {
    Instant now = Instant.parse("2026-11-30T12:00:00Z");
    assertEquals(text, Quantities.ago(now.minusSeconds(seconds), now));
  }
}

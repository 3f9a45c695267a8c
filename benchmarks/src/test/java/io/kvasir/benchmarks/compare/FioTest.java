package io.kvasir.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class FioTest {
  private static final String OUT =
      """
      fio: a warning comes first
      {"fio version": "fio-3.33", "jobs": [
        {"read": {"bw_bytes": 3000000000}, "write": {"bw_bytes": 5000000000}}]}
      """;

  @Test
  void theBandwidthOfTheDirectionIsRead() throws IOException {
    assertEquals(5e9, Fio.parse(OUT, true));
    assertEquals(3e9, Fio.parse(OUT, false));
  }

  @Test
  void outputWithoutABandwidthIsAnError() {
    assertThrows(IOException.class, () -> Fio.parse("fio: engine not loadable", true));
    assertThrows(IOException.class, () -> Fio.parse("{\"jobs\": []}", true));
    assertThrows(
        IOException.class, () -> Fio.parse("{\"jobs\": [{\"write\": {\"bw_bytes\": 0}}]}", true));
  }
}

package io.kvasir.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The PTX text that ships belongs to the source beside it. */
class KernelsTest {
  private static byte[] resource(String name) throws IOException {
    try (InputStream in = Gpu.class.getResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }

  @Test
  void thePtxIsMadeOfTheSource() throws IOException, NoSuchAlgorithmException {
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(resource("kernels.cu"));
    String ptx = new String(resource("kernels.ptx"), StandardCharsets.US_ASCII);
    assertEquals(
        "// of kernels.cu, SHA-256 " + HexFormat.of().formatHex(digest) + ", by make-ptx",
        ptx.lines().findFirst().orElseThrow(),
        "kernels.cu was changed: run make-ptx");
  }

  @Test
  void thePtxAsksForNothingThatOlderDriversLack() throws IOException {
    String ptx = new String(resource("kernels.ptx"), StandardCharsets.US_ASCII);
    assertTrue(ptx.lines().anyMatch(".version 6.4"::equals));
    assertTrue(ptx.lines().anyMatch(".target sm_75"::equals));
    assertTrue(ptx.contains(".entry kvasir_gather(") && ptx.contains(".entry kvasir_scatter("));
  }
}

package io.kvasir.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.cuda.standin.StandIn;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/**
 * The script for machines with a GPU works, so that such a machine's few minutes are not wasted.
 */
class GpuCheckTest {
  @Test
  void theCheckRunsAndFindsAllBytesRight() throws Exception {
    StandIn standIn = StandIn.load();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    Driver driver = Presence.bind(Presence.driver(Bench.LOG).orElseThrow());
    boolean right =
        new GpuCheck(driver, out, 1 << 20, Duration.ofMillis(1))
            .run(List.of(new GpuCheck.Geometry(4, 4 << 10), new GpuCheck.Geometry(8, 8 << 10)));
    String text = bytes.toString(StandardCharsets.UTF_8);
    assertTrue(right, text);
    assertEquals(8, text.lines().filter(line -> line.endsWith("  right")).count(), text);
    for (Mover.Kind kind : Mover.Kind.values()) {
      assertTrue(text.contains(" " + kind + " "), text);
    }
    assertEquals(StandIn.NOTHING, standIn.live());
    assertEquals(0, standIn.count("faults"));
  }

  @Test
  void withoutAGpuTheScriptSaysSo() throws Exception {
    Assumptions.assumeFalse(
        new File("/dev/nvidiactl").exists(), "this machine has a GPU; run ./gpu-check");
    Process process = new ProcessBuilder("./gpu-check").redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(3, process.waitFor(), out);
    assertEquals(
        "gpu-check: no NVIDIA driver on this machine (libcuda.so.1): nothing was checked\n", out);
  }
}

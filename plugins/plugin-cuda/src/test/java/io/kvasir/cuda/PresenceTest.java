package io.kvasir.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.cuda.standin.StandIn;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes of their own: without a driver, without JCuda's native library, with a planted one. */
class PresenceTest {
  @TempDir Path directory;

  private record Outcome(int exit, String out) {}

  /** Starts {@link ChildPath}; its temporary folder is the test's. */
  private Outcome child(List<String> options, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Djava.io.tmpdir=" + directory);
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-Xlog:class+load:file=" + directory.resolve("classes"));
    command.addAll(options);
    command.add("-cp");
    command.add(
        String.join(
            File.pathSeparator,
            "target/classes",
            "target/test-classes",
            System.getProperty("java.class.path", ""),
            System.getProperty("jdk.module.path", "")));
    command.add(ChildPath.class.getName());
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Outcome(process.waitFor(), out);
  }

  private boolean jcudaWasTouched() throws IOException {
    return Files.readString(directory.resolve("classes")).contains(" jcuda.");
  }

  private Path standIn() {
    StandIn.load(); // skips where there is no compiler
    return Path.of("target", "standin", "libcuda.so.1").toAbsolutePath();
  }

  /** Puts a library that betrays its loading where JCuda looks in the temporary folder. */
  private void plant() throws Exception {
    Path source = directory.resolve("planted.c");
    Files.writeString(
        source,
        "#include <stdio.h>\n__attribute__((constructor)) static void planted(void)"
            + " { puts(\"planted code runs\"); fflush(stdout); }\n");
    Path file = directory.resolve(System.mapLibraryName(Presence.JCUDA));
    Process gcc =
        new ProcessBuilder("gcc", "-shared", "-fPIC", "-o", file.toString(), source.toString())
            .inheritIO()
            .start();
    assertEquals(0, gcc.waitFor());
  }

  @Test
  void withoutADriverNoClassOfJcudaIsTouched() throws Exception {
    Assumptions.assumeFalse(
        new File("/dev/nvidiactl").exists(), "this machine has a driver; run it on one without");
    plant();
    Outcome outcome = child(List.of("-Djava.library.path=" + natives()), "none");
    assertEquals("no device memory\n", outcome.out());
    assertFalse(jcudaWasTouched());
  }

  private static String natives() {
    return System.getProperty("java.library.path");
  }

  @Test
  void withADriverTheShippedLibraryIsLoaded() throws Exception {
    Path driver = standIn();
    plant();
    Outcome outcome = child(List.of("-Djava.library.path=" + natives()), driver.toString());
    assertEquals("JcudaDriver moved a block\n", outcome.out());
  }

  @Test
  void withoutTheShippedLibraryNothingIsTakenFromTheTemporaryFolder() throws Exception {
    Path driver = standIn();
    plant();
    Outcome outcome =
        child(List.of("-Djava.library.path=" + directory.resolve("none")), driver.toString());
    assertEquals("FfmDriver moved a block\n", outcome.out());
    assertFalse(jcudaWasTouched());
  }

  @Test
  void jcudaByItselfWouldTakeThePlantedLibrary() throws Exception {
    Path driver = standIn();
    plant();
    Outcome outcome =
        child(
            List.of("-Djava.library.path=" + directory.resolve("none")),
            driver.toString(),
            "carelessly");
    assertTrue(outcome.out().contains("planted code runs"), outcome.out());
  }

  @Test
  void theStandInIsRefusedByItsNameInProduction() throws Exception {
    Path driver = standIn();
    Outcome outcome =
        child(List.of("-Djava.library.path=" + natives()), driver.toString(), "in production");
    assertTrue(outcome.out().contains("its driver is the stand-in"), outcome.out());
    assertTrue(outcome.out().endsWith("not accepted\n"), outcome.out());
  }
}

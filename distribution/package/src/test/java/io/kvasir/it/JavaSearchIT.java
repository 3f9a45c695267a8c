package io.kvasir.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.it.Installed.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** bin/kvasir finds a JDK 25 by itself, whatever java comes first. */
class JavaSearchIT {
  @TempDir Path temp;
  private Path old;

  @BeforeEach
  void aJava17() throws IOException {
    old = Files.createDirectories(temp.resolve("jdk-17/bin")).resolve("java");
    Files.writeString(
        old,
        """
        #!/bin/sh
        [ "$1" = -version ] || { echo "the old java was started" >&2; exit 99; }
        echo 'openjdk version "17.0.15" 2025-04-15' >&2
        """);
    Files.setPosixFilePermissions(old, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void aJava17ThatComesFirstOnThePathIsPassedOver() throws Exception {
    Path jdks = Files.createDirectories(temp.resolve("home/.jdks"));
    Files.createSymbolicLink(jdks.resolve("jdk-25"), Installed.JAVA_HOME);
    Outcome outcome = version(Map.of("HOME", temp.resolve("home").toString(), "JAVA_HOME", ""));
    assertTrue(outcome.good().contains("\njava 2"), outcome.out());
  }

  @Test
  void aJavaHomeOf17IsPassedOver() throws Exception {
    Path jdks = Files.createDirectories(temp.resolve("home/.jdks"));
    Files.createSymbolicLink(jdks.resolve("jdk-25"), Installed.JAVA_HOME);
    version(
            Map.of(
                "HOME", temp.resolve("home").toString(),
                "JAVA_HOME", temp.resolve("jdk-17").toString()))
        .good();
  }

  @Test
  void aJavaHomeOf25WinsOverThePath() throws Exception {
    Outcome outcome = version(Map.of("JAVA_HOME", Installed.JAVA_HOME.toString()));
    assertTrue(outcome.good().contains("(" + Installed.JAVA_HOME + ")"), outcome.out());
  }

  @Test
  void theJavaThatTheOperatorNamesIsNotReplaced() throws Exception {
    Outcome outcome =
        version(Map.of("KVASIR_JAVA", old.toString(), "JAVA_HOME", Installed.JAVA_HOME.toString()));
    assertEquals(2, outcome.exit());
    assertEquals(
        "kvasir: KVASIR_JAVA: %s is Java 17; give that of a JDK 25 or newer\n".formatted(old),
        outcome.err());
  }

  @Test
  void aJavaThatIsNotThereIsNamed() throws Exception {
    Outcome outcome = version(Map.of("KVASIR_JAVA", "/nowhere/java"));
    assertEquals(2, outcome.exit());
    assertEquals(
        "kvasir: KVASIR_JAVA: /nowhere/java is no java; give that of a JDK 25 or newer\n",
        outcome.err());
  }

  private Outcome version(Map<String, String> environment) throws Exception {
    Map<String, String> all = new java.util.HashMap<>(environment);
    all.put("PATH", old.getParent() + ":" + System.getenv("PATH"));
    all.putIfAbsent("KVASIR_JAVA", "");
    return new Installed(temp).run(all, Installed.bin("--version"));
  }
}

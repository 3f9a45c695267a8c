package io.kvasir.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a user downloads. */
class ArchivesIT {
  private static final String ROOT = "kvasir-" + Installed.VERSION;

  @TempDir Path temp;

  @Test
  void theTarUnpacksToADistributionThatStarts() throws Exception {
    Path tar = Installed.ARCHIVES.resolve(ROOT + ".tar.gz");
    Installed installed = new Installed(temp);
    installed.run(Map.of(), List.of("tar", "-xzf", tar.toString())).good();
    String out =
        installed
            .run(
                Map.of("KVASIR_JAVA", Installed.JAVA_HOME.toString()),
                List.of(temp.resolve(ROOT + "/bin/kvasir").toString(), "plugins"))
            .good();
    assertTrue(out.contains("local"), out);
    try (Stream<Path> top = Files.list(temp.resolve(ROOT))) {
      assertEquals(
          Set.of("bin", "lib", "core", "kit", "plugins", "conf", "LICENSE", "README.md"),
          top.map(p -> p.getFileName().toString()).collect(Collectors.toSet()));
    }
  }

  @Test
  void theZipHoldsTheSameFiles() throws Exception {
    Set<String> files;
    try (ZipFile zip = new ZipFile(Installed.ARCHIVES.resolve(ROOT + ".zip").toFile())) {
      files =
          zip.stream()
              .filter(e -> !e.isDirectory())
              .map(e -> e.getName().substring(ROOT.length() + 1))
              .collect(Collectors.toSet());
    }
    try (Stream<Path> all = Files.walk(Installed.HOME)) {
      assertEquals(
          all.filter(Files::isRegularFile)
              .map(p -> Installed.HOME.relativize(p).toString())
              .collect(Collectors.toSet()),
          files);
    }
  }
}

package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No backend without the kit: each module that provides one has a test that extends it. */
class RegistryTest {
  private static final Path REPOSITORY = Path.of("../..");
  private static final Pattern PROVIDES =
      Pattern.compile("provides\\s+[\\w.]*\\bStoreProvider\\s+with\\s+([^;]+);");

  @Test
  void everyBackendOfThisRepositoryHasAConformanceTest() throws IOException {
    assertEquals(
        Map.of(), without(REPOSITORY), "backends without a test that extends StoreContract");
  }

  @Test
  void backendWithoutOneIsFound(@TempDir Path repository) throws IOException {
    Path tested = module(repository, "a/tested", "dev.Tested");
    Files.createDirectories(tested.resolve("src/test/java/dev"));
    Files.writeString(
        tested.resolve("src/test/java/dev/TestedTest.java"),
        "class TestedTest extends StoreContract { Object provider() { return new Tested(); } }");
    module(repository, "b", "dev.Untested");
    assertEquals(Map.of("b", "Untested"), without(repository));
    assertTrue(providers(REPOSITORY).size() >= 4, "the search itself finds too few");
  }

  private static Path module(Path repository, String name, String provider) throws IOException {
    Path java = Files.createDirectories(repository.resolve(name).resolve("src/main/java"));
    Files.writeString(
        java.resolve("module-info.java"),
        "module m {\n  provides io.kvasir.api.store.StoreProvider with\n      %s;\n}\n"
            .formatted(provider));
    return repository.resolve(name);
  }

  /** {@return backends without a test, by the module's folder} */
  private static Map<String, String> without(Path repository) throws IOException {
    Map<String, String> out = new TreeMap<>();
    for (Map.Entry<Path, Set<String>> module : providers(repository).entrySet()) {
      for (String provider : module.getValue()) {
        if (!tested(module.getKey(), provider)) {
          out.put(repository.relativize(module.getKey()).toString(), provider);
        }
      }
    }
    return out;
  }

  /** {@return the simple names of the providers, by the module's folder} */
  private static Map<Path, Set<String>> providers(Path repository) throws IOException {
    Map<Path, Set<String>> out = new TreeMap<>();
    for (Path file : files(repository, "src/main/java/module-info.java")) {
      Path module = repository.resolve(file.subpath(0, file.getNameCount() - 4));
      Matcher provides = PROVIDES.matcher(Files.readString(repository.resolve(file)));
      while (provides.find()) {
        for (String name : provides.group(1).split(",", -1)) {
          out.computeIfAbsent(module, _ -> new TreeSet<>()).add(simple(name.strip()));
        }
      }
    }
    String services = "src/main/resources/META-INF/services/io.kvasir.api.store.StoreProvider";
    for (Path file : files(repository, services)) {
      Path module = repository.resolve(file.subpath(0, file.getNameCount() - 6));
      for (String name : Files.readAllLines(repository.resolve(file))) {
        out.computeIfAbsent(module, _ -> new TreeSet<>()).add(simple(name.strip()));
      }
    }
    return out;
  }

  private static List<Path> files(Path repository, String end) throws IOException {
    List<Path> out = new ArrayList<>();
    Files.walkFileTree(
        repository,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            String name = folder.getFileName().toString();
            boolean ours = !name.equals("target") && !name.equals(".git");
            return ours ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.endsWith(end)) {
              out.add(repository.relativize(file));
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return out;
  }

  private static String simple(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  private static boolean tested(Path module, String provider) throws IOException {
    Path tests = module.resolve("src/test/java");
    if (!Files.isDirectory(tests)) {
      return false;
    }
    List<Path> sources;
    try (Stream<Path> all = Files.walk(tests)) {
      sources = all.filter(file -> file.toString().endsWith(".java")).toList();
    }
    for (Path source : sources) {
      String text = Files.readString(source);
      if (text.contains("extends StoreContract") && text.contains("new " + provider + "(")) {
        return true;
      }
    }
    return false;
  }
}

package io.kvasir.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A folder of a command's own that is gone when it ends, also when somebody interrupts it. */
final class Scratch implements AutoCloseable {
  private final Path folder;
  private final Thread atExit;

  private Scratch(Path folder) {
    this.folder = folder;
    this.atExit = new Thread(() -> delete(folder));
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /** {@return a folder where the system wants what is not kept} */
  static Scratch ofSystem(String prefix) throws IOException {
    return new Scratch(Files.createTempDirectory(prefix));
  }

  /** {@return a folder in another one, or in the nearest above it that is there} */
  static Scratch near(Path place, String prefix) throws IOException {
    return new Scratch(Files.createTempDirectory(existing(place), prefix));
  }

  /** {@return the folder itself, or the nearest above it that is there} */
  static Path existing(Path folder) {
    Path there = folder.toAbsolutePath();
    while (!Files.isDirectory(there) && there.getParent() != null) {
      there = there.getParent();
    }
    return there;
  }

  Path folder() {
    return folder;
  }

  @Override
  public void close() {
    delete(folder);
    Runtime.getRuntime().removeShutdownHook(atExit);
  }

  private static void delete(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

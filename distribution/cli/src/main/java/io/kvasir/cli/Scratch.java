package io.kvasir.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A folder of a command's own that is gone when it ends, also when somebody interrupts it. */
final class Scratch implements AutoCloseable {
  private static final int ATTEMPTS = 20;

  private final Path folder;
  private final Thread atExit;

  private Scratch(Path folder, Runnable first) {
    this.folder = folder;
    this.atExit =
        new Thread(
            () -> {
              first.run();
              delete(folder);
            });
    try {
      Runtime.getRuntime().addShutdownHook(atExit);
    } catch (IllegalStateException e) { // interrupted before it began
      delete(folder);
      throw e;
    }
  }

  /**
   * {@return a folder where the system wants what is not kept}
   *
   * @param first what an interrupt does before the folder is deleted: ends who writes there
   */
  static Scratch ofSystem(String prefix, Runnable first) throws IOException {
    return new Scratch(Files.createTempDirectory(prefix), first);
  }

  /** {@return such a folder in another one, or in the nearest above it that is there} */
  static Scratch near(Path place, String prefix, Runnable first) throws IOException {
    return new Scratch(Files.createTempDirectory(existing(place), prefix), first);
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
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // somebody interrupted it: the hook runs already
    }
  }

  /** Also where somebody who was interrupted still makes files: again, then. */
  private static synchronized void delete(Path folder) {
    for (int attempt = 1; Files.exists(folder); attempt++) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      } catch (IOException | UncheckedIOException e) {
        if (attempt == ATTEMPTS) {
          throw new UncheckedIOException(folder + " is left behind; delete it", asIo(e));
        }
      }
    }
  }

  private static IOException asIo(Exception e) {
    return e instanceof UncheckedIOException unchecked ? unchecked.getCause() : (IOException) e;
  }
}

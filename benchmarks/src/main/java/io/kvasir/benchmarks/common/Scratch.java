package io.kvasir.benchmarks.common;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Folders of a measurement, which leaves nothing behind. */
public final class Scratch {
  private Scratch() {}

  /**
   * {@return a new folder that goes when the process ends, also if it is interrupted}
   *
   * @param parent is made if it is not there
   */
  public static Path in(Path parent, String prefix) throws IOException {
    Path folder = Files.createTempDirectory(Files.createDirectories(parent), prefix);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> deleteAtEnd(folder)));
    return folder;
  }

  private static void deleteAtEnd(Path folder) {
    try {
      delete(folder);
    } catch (IOException e) {
      System.err.println(folder + " could not be deleted: " + e);
    }
  }

  /** Deletes a folder and what is in it; nothing happens if it is not there. */
  public static void delete(Path folder) throws IOException {
    if (Files.notExists(folder)) {
      return;
    }
    List<Path> deepestFirst;
    try (Stream<Path> all = Files.walk(folder)) {
      deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : deepestFirst) {
      Files.deleteIfExists(path);
    }
  }
}

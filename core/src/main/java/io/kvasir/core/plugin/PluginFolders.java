package io.kvasir.core.plugin;

import io.kvasir.api.KvasirException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.pf4j.PluginRepository;
import org.pf4j.util.Unzip;

/**
 * The folders and zips under the plugins directory. A zip is unpacked into a private directory of
 * this process: the plugins directory may be read-only, and shared with other processes.
 */
final class PluginFolders implements PluginRepository {
  private final List<Path> roots;
  private Path unpacked;

  PluginFolders(List<Path> roots) {
    this.roots = roots;
  }

  /** {@return folders and zips, sorted by name; hidden ones and other files are none} */
  @Override
  public List<Path> getPluginPaths() {
    List<Path> out = new ArrayList<>();
    for (Path root : roots) {
      try (Stream<Path> entries = Files.list(root)) {
        entries
            .filter(e -> !e.getFileName().toString().startsWith("."))
            .filter(e -> Files.isDirectory(e) || isZip(e))
            .sorted()
            .forEach(out::add);
      } catch (IOException e) {
        throw new KvasirException(root + ": cannot be read as a directory of plugins: " + e, e);
      }
    }
    return out;
  }

  /** {@return the folder of a plugin, unpacked if it is a zip} */
  Path folder(Path path) {
    if (!isZip(path)) {
      return path;
    }
    try {
      // a stream of zip entries takes any bytes for an empty zip
      new ZipFile(path.toFile()).close();
      if (unpacked == null) {
        unpacked = Files.createTempDirectory("kvasir-plugins-");
      }
      String name = path.getFileName().toString();
      Path folder = unpacked.resolve(name.substring(0, name.length() - ".zip".length()));
      new Unzip(path.toFile(), folder.toFile()).extract();
      return folder;
    } catch (IOException e) {
      throw new KvasirException("is no readable zip: " + e.getMessage(), e);
    }
  }

  /** Deletes what was unpacked. */
  void deleteUnpacked() {
    if (unpacked == null) {
      return;
    }
    try (Stream<Path> files = Files.walk(unpacked)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public boolean deletePluginPath(Path path) {
    return false; // plugins are the operator's files
  }

  private static boolean isZip(Path path) {
    return Files.isRegularFile(path)
        && path.getFileName().toString().toLowerCase(Locale.ROOT).endsWith(".zip");
  }
}

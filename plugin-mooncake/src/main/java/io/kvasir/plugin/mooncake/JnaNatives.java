package io.kvasir.plugin.mooncake;

import io.kvasir.api.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Lets JNA unpack its own native part into a folder that only this user can enter. Left alone, it
 * falls back to the folder of temporary files, where others may put a library in its place. It is
 * unpacked for each class loader, as a native library belongs to one.
 */
final class JnaNatives {
  private static final String FOLDER = "jna.tmpdir";
  private static final String GIVEN = "jna.boot.library.path";

  private JnaNatives() {}

  /** Loads JNA, unless it is loaded; an operator's own {@code jna.boot.library.path} is kept. */
  static void prepare() throws StoreException {
    synchronized (JnaNatives.class) {
      String before = System.getProperty(FOLDER);
      Path own = null;
      try {
        if (before == null && System.getProperty(GIVEN) == null) {
          own = Files.createTempDirectory("kvasir-jna-"); // rwx for its owner alone
          System.setProperty(FOLDER, own.toString());
        }
        Class.forName("com.sun.jna.Native");
      } catch (IOException | ClassNotFoundException | LinkageError e) {
        throw new StoreException(
            StoreException.Kind.CONFIGURATION,
            "JNA's native part cannot be loaded (%s); start the JVM with -Djava.io.tmpdir=DIR, a folder that is writable and not mounted noexec, or with -D%s=DIR, where libjnidispatch.so lies; embedded, with --enable-native-access=ALL-UNNAMED, too"
                .formatted(e, GIVEN),
            e);
      } finally {
        if (own != null) {
          System.clearProperty(FOLDER);
          delete(own);
        }
      }
    }
  }

  /** The library stays mapped without its file. */
  private static void delete(Path folder) {
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      folder.toFile().deleteOnExit();
    }
  }
}

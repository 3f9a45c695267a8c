package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each Kvasir of a process loads the plugin anew, and the lock must hold all the same. */
class DirectoryLockTest {
  private static final Path CLASSES = Path.of("target", "classes");

  @TempDir Path directory;

  @Test
  void aSecondLoadingOfThePluginNeitherTakesNorDropsTheLock() throws Exception {
    try (DirectoryLock held = DirectoryLock.take(directory);
        URLClassLoader anew =
            new URLClassLoader(
                new URL[] {CLASSES.toUri().toURL()}, ClassLoader.getPlatformClassLoader())) {
      Method take =
          anew.loadClass(DirectoryLock.class.getName()).getDeclaredMethod("take", Path.class);
      take.setAccessible(true);

      Throwable refused =
          assertThrows(InvocationTargetException.class, () -> take.invoke(null, directory))
              .getCause();

      assertEquals(
          "store directory %s: locked by process %d; end that process, or configure another directory"
              .formatted(directory, ProcessHandle.current().pid()),
          refused.getMessage());
      assertEquals(0, probe(directory), "the lock is gone");
      assertEquals(true, held != null);
    }
    assertEquals(1, probe(directory), "the lock is still there");
  }

  static int probe(Path directory) throws IOException, InterruptedException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return new ProcessBuilder(
            java,
            "-cp",
            CLASSES + ":" + Path.of("target", "test-classes"),
            "io.kvasir.plugin.local.LockProbe",
            directory.resolve(DirectoryLock.NAME).toString())
        .inheritIO()
        .start()
        .waitFor();
  }
}

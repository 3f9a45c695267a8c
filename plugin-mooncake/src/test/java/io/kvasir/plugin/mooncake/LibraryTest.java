package io.kvasir.plugin.mooncake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.store.StoreException;
import io.kvasir.conformance.TestContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each in a JVM of its own: a process loads one library. */
class LibraryTest {
  /** Opens the store with one library after the other and says what came of it. */
  static final class Opening {
    public static void main(String[] args) {
      String master = args[0];
      for (int i = 1; i < args.length; i++) {
        boolean variable = args[i].startsWith("env:");
        boolean none = args[i].isEmpty();
        Settings settings = new Settings(master);
        settings.library = variable || none ? Optional.empty() : Optional.of(Path.of(args[i]));
        Map<String, String> environment =
            variable ? Map.of(StoreLibrary.VARIABLE, args[i].substring(4)) : Map.of();
        try {
          new MooncakeProvider(environment).open(new TestContext(settings.config())).close();
          System.out.println("open");
        } catch (StoreException e) {
          System.out.println(e.kind() + " " + e.getMessage());
        }
      }
    }
  }

  private static final String WAY_OUT =
      "; build Mooncake with -DWITH_STORE_C_SHARED=ON where it is to run, and name its"
          + " libmooncake_store.so in store.mooncake.library or in MOONCAKE_STORE_LIBRARY";

  @Test
  void aMissingLibraryIsNamedWithTheWayOutAndTheNextTryFindsIt() throws Exception {
    String master = Rig.master(16 << 20);
    try (Child jvm =
        Child.jvm(
            Opening.class,
            master,
            "/nowhere/lib.so",
            "env:/nowhere/other.so",
            "",
            Rig.library().toString())) {
      jvm.expect("CONFIGURATION library: \"/nowhere/lib.so\": there is no such file" + WAY_OUT);
      jvm.expect(
          "CONFIGURATION MOONCAKE_STORE_LIBRARY: \"/nowhere/other.so\": there is no such file"
              + WAY_OUT);
      jvm.expect(
          "CONFIGURATION library: not given, and libmooncake_store.so is not on the loader's path"
              + WAY_OUT);
      jvm.expect("open");
      assertEquals(0, jvm.end());
    }
  }

  @Test
  void aLibraryOfAnotherShapeIsNamedWithWhatItLacks(@TempDir Path folder) throws Exception {
    String master = Rig.master(16 << 20);
    Path text = Files.writeString(folder.resolve("text.so"), "no library");
    Path other = folder.resolve("other.so");
    Path source = Files.writeString(folder.resolve("other.c"), "int mooncake_store_create(void);");
    assertEquals(
        0,
        new ProcessBuilder("gcc", "-shared", "-o", other.toString(), source.toString())
            .inheritIO()
            .start()
            .waitFor());
    try (Child jvm =
        Child.jvm(
            Opening.class,
            master,
            text.toString(),
            other.toString(),
            Rig.library().toString(),
            other.toString())) {
      String said = jvm.line();
      assertTrue(said.startsWith("CONFIGURATION library: \"" + text + "\" does not load: "), said);
      assertTrue(said.endsWith(WAY_OUT), said);
      said = jvm.line();
      assertTrue(
          said.startsWith(
              "CONFIGURATION library: \""
                  + other
                  + "\": it lacks mooncake_store_batch_get_into, mooncake_store_batch_is_exist,"),
          said);
      assertTrue(said.contains("mooncake_store_unregister_buffer, so it is another"), said);
      assertEquals(19, said.split("mooncake_store_").length - 1, said);
      jvm.expect("open");
      assertEquals(
          "CONFIGURATION library: \"%s\": this process has loaded %s, and it can load one; use the same for every store, or another process"
              .formatted(other, Rig.library()),
          jvm.line());
      assertEquals(0, jvm.end());
    }
  }

  /** Where a file that others may write is loaded, they may become this user. */
  @Test
  void nothingIsLoadedFromAFolderThatOthersMayWriteTo() throws Exception {
    String master = Rig.master(16 << 20);
    try (Child jvm = Child.jvm(Loaded.class, master)) {
      jvm.expect("true");
      assertEquals(0, jvm.end());
    }
  }

  /**
   * Says whether JNA's native part was unpacked into a folder of its owner's alone, and is gone.
   */
  static final class Loaded {
    public static void main(String[] args) throws Exception {
      new MooncakeProvider(Map.of()).open(new TestContext(new Settings(args[0]).config())).close();
      List<String> maps =
          Files.readAllLines(Path.of("/proc/self/maps")).stream()
              .filter(line -> line.contains("jna") && !line.contains(".jar"))
              .toList();
      System.out.println(
          !maps.isEmpty()
              && maps.stream()
                  .allMatch(l -> l.contains("/kvasir-jna-") && l.endsWith("(deleted)")));
    }
  }
}

package io.kvasir.plugin.mooncake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import io.kvasir.api.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the tests run on: the stand-in library in C, with a master of its own for each test; or,
 * where {@code KVASIR_MOONCAKE_MASTER} (host:port) and {@code MOONCAKE_STORE_LIBRARY} are set, that
 * cluster, for the tests that need no fault. It is emptied before each test.
 */
final class Rig {
  private static final String REAL_MASTER = System.getenv("KVASIR_MOONCAKE_MASTER");
  private static final String REAL_LIBRARY = System.getenv(StoreLibrary.VARIABLE);
  static final boolean REAL = REAL_MASTER != null && REAL_LIBRARY != null;

  private static final Path STANDIN =
      Path.of(System.getProperty("kvasir.standin", "target/standin")).toAbsolutePath();
  private static final AtomicInteger PORTS = new AtomicInteger(20_000);
  private static final NativeLibrary CONTROLS = REAL ? null : controls();

  private Rig() {}

  private static NativeLibrary controls() {
    try {
      JnaNatives.prepare();
      String given = System.getProperty("kvasir.standin.data"); // of the test that started this JVM
      Path data = given == null ? Files.createTempDirectory("kvasir-standin-") : Path.of(given);
      NativeEnvironment.set(Map.of("MOONCAKE_STANDIN_DIR", data.toString()));
      System.setProperty("kvasir.standin.data", data.toString());
      if (given == null) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(data)));
      }
      return NativeLibrary.getInstance(library().toString());
    } catch (IOException | StoreException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void delete(Path folder) {
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      // what is left is in the folder of temporary files
    }
  }

  static Path library() {
    return REAL ? Path.of(REAL_LIBRARY) : STANDIN.resolve("libmooncake_store.so");
  }

  /** Where the stand-in and its programs lie. */
  static Path standin() {
    return STANDIN;
  }

  /** Skips a test that bends the stand-in. */
  static void needsStandin() {
    assumeFalse(REAL, "a real cluster does not fail on demand; run it on the stand-in");
  }

  /** {@return the address of a master with that much storage: a new one on the stand-in} */
  static String master(long segmentBytes) {
    if (REAL) {
      Raw.empty(REAL_MASTER);
      return REAL_MASTER;
    }
    String address = "127.0.0.1:" + PORTS.incrementAndGet();
    start(address, segmentBytes);
    return address;
  }

  static void start(String address, long segmentBytes) {
    assertEquals(0, control("standin_master_start", address, segmentBytes), address);
  }

  static void stop(String address) {
    assertEquals(0, control("standin_master_stop", address), address);
  }

  /** Sets a setting of a master. {@return what it was} */
  static long set(String address, String name, long value) {
    return longControl("standin_master_set", address, name, value);
  }

  static long get(String address, String name) {
    return longControl("standin_master_get", address, name);
  }

  /** Sets a setting of this process. {@return what it was} */
  static long set(String name, long value) {
    return longControl("standin_set", name, value);
  }

  static long get(String name) {
    return longControl("standin_get", name);
  }

  /** Lets the next calls of a function fail; null for any function or key. */
  static void fail(String function, String keyPart, int code, int count) {
    assertEquals(0, control("standin_fail", function, keyPart, code, count));
  }

  static void delay(String function, long millis, int count) {
    assertEquals(0, control("standin_delay", function, millis, count));
  }

  /** Takes all faults back. */
  static void clear() {
    if (!REAL) {
      CONTROLS.getFunction("standin_clear").invokeVoid(new Object[0]);
    }
  }

  static boolean flip(String address, String key, long bit) {
    return control("standin_flip", address, key, bit) == 0;
  }

  static boolean shorten(String address, String key, long size) {
    return control("standin_shorten", address, key, size) == 0;
  }

  static boolean drop(String address, String key) {
    return control("standin_drop", address, key) == 0;
  }

  static void leaveInFlight(String address, String key, long size) {
    assertEquals(0, control("standin_leave_in_flight", address, key, size));
  }

  private static int control(String name, Object... arguments) {
    return CONTROLS.getFunction(name).invokeInt(arguments);
  }

  private static long longControl(String name, Object... arguments) {
    Function function = CONTROLS.getFunction(name);
    return function.invokeLong(arguments);
  }
}

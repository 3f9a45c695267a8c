package io.kvasir.plugin.mooncake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
 * cluster, for the tests that need no fault. It is emptied before each test. Tests that kill and
 * freeze have {@link Servers} of their own.
 */
final class Rig {
  private static final String REAL_MASTER = System.getenv("KVASIR_MOONCAKE_MASTER");
  private static final String REAL_LIBRARY = System.getenv(StoreLibrary.VARIABLE);
  static final boolean REAL = REAL_MASTER != null && REAL_LIBRARY != null;

  private static final Path STANDIN =
      Path.of(System.getProperty("kvasir.standin", "target/standin")).toAbsolutePath();
  private static final AtomicInteger PORTS = new AtomicInteger(20_000);

  static {
    if (!REAL) {
      prepare();
    }
  }

  /** The library, loaded when it is first bent: a test may want to see it loaded. */
  private static final class Controls {
    static final NativeLibrary OF = NativeLibrary.getInstance(library().toString());
  }

  private Rig() {}

  private static void prepare() {
    try {
      JnaNatives.prepare();
      String given = System.getProperty("kvasir.standin.data"); // of the test that started this JVM
      Path data = given == null ? Files.createTempDirectory("kvasir-standin-") : Path.of(given);
      NativeEnvironment.set(Map.of("MOONCAKE_STANDIN_DIR", data.toString()));
      System.setProperty("kvasir.standin.data", data.toString());
      if (given == null) {
        NativeEnvironment.set(
            Map.of("MC_LOG_LEVEL", "ERROR")); // one that a test starts is on its own
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(data)));
      }
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

  /** {@return mooncake_master or mooncake_client, or the stand-in's} */
  static Path program(String name) {
    String real = System.getenv("MOONCAKE_PROGRAMS");
    assumeTrue(
        !REAL || real != null,
        "set MOONCAKE_PROGRAMS to the folder of mooncake_master and mooncake_client");
    return REAL ? Path.of(real, "mooncake_" + name) : STANDIN.resolve("standin_" + name);
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
      Controls.OF.getFunction("standin_clear").invokeVoid(new Object[0]);
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

  /** {@return the protocol and the device that this process's last setup got} */
  static String lastSetup() {
    byte[] protocol = new byte[64];
    byte[] device = new byte[256];
    Controls.OF
        .getFunction("standin_last_setup")
        .invokeVoid(new Object[] {protocol, (long) protocol.length, device, (long) device.length});
    return com.sun.jna.Native.toString(protocol) + " " + com.sun.jna.Native.toString(device);
  }

  static void leaveInFlight(String address, String key, long size) {
    assertEquals(0, control("standin_leave_in_flight", address, key, size));
  }

  private static int control(String name, Object... arguments) {
    return Controls.OF.getFunction(name).invokeInt(arguments);
  }

  private static long longControl(String name, Object... arguments) {
    Function function = Controls.OF.getFunction(name);
    return function.invokeLong(arguments);
  }
}

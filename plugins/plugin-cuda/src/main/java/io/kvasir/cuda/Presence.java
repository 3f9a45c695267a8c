package io.kvasir.cuda;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.util.Optional;

/**
 * Whether there is a CUDA driver. Looking calls nothing of it: without a driver no class of JCuda
 * is ever touched, and its native library is loaded from where this module's loader finds natives,
 * before JCuda would look for one in a temporary folder.
 */
final class Presence {
  static final String DRIVER = "libcuda.so.1";
  static final String JCUDA = "JCudaDriver-12.6.0-linux-x86_64";

  private Presence() {}

  /** {@return the driver's symbols; empty if there is no driver, or no native access to it} */
  @SuppressWarnings("restricted") // binding the driver is what this module is for
  static Optional<SymbolLookup> driver(Logger log) {
    try {
      return Optional.of(SymbolLookup.libraryLookup(DRIVER, Arena.global()));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    } catch (IllegalCallerException e) { // as part of an application that does not grant it
      log.log(
          Level.INFO,
          "CUDA is not looked for: {0}; where there is a GPU, start the JVM with"
              + " --enable-native-access=ALL-UNNAMED",
          e.getMessage());
      return Optional.empty();
    }
  }

  /** {@return a way to call the driver: JCuda, or FFM where JCuda has no native library} */
  static Driver bind(SymbolLookup symbols) {
    return jcudaLoads() ? new JcudaDriver(symbols) : new FfmDriver(symbols);
  }

  @SuppressWarnings("restricted") // as above
  private static boolean jcudaLoads() {
    try {
      System.loadLibrary(JCUDA);
      return true;
    } catch (UnsatisfiedLinkError e) {
      return false; // JCuda itself would now take any file of that name from the temporary folder
    }
  }
}

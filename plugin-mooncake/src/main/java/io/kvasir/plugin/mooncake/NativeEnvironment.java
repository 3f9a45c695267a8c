package io.kvasir.plugin.mooncake;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import java.util.Map;

/**
 * The variables that Mooncake reads when it is first used. Java cannot set them; libc can. What the
 * operator has set stays.
 */
final class NativeEnvironment {
  private static final int KEEP = 0; // the third argument of setenv: do not overwrite

  private NativeEnvironment() {}

  /** Sets what is not set. Called before the library is loaded: it reads its log level then. */
  static void set(Map<String, String> variables) {
    Function setenv = NativeLibrary.getProcess().getFunction("setenv");
    variables.forEach((name, value) -> setenv.invokeInt(new Object[] {name, value, KEEP}));
  }

  /** {@return the variable as native code sees it, or null} */
  static String get(String name) {
    return NativeLibrary.getProcess()
        .getFunction("getenv")
        .invokeString(new Object[] {name}, false);
  }
}

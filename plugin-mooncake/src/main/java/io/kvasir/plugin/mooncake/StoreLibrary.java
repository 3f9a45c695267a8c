package io.kvasir.plugin.mooncake;

import com.sun.jna.FunctionMapper;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import io.kvasir.api.store.StoreException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds Mooncake's C library and binds it, once per process: JNA binds a class to one library, and
 * the library itself keeps state of the process.
 */
final class StoreLibrary {
  /** The variable that Mooncake's own Rust binding reads, too. */
  static final String VARIABLE = "MOONCAKE_STORE_LIBRARY";

  private static final String NAME = "mooncake_store";
  private static final String WAY_OUT =
      "; build Mooncake with -DWITH_STORE_C_SHARED=ON where it is to run, and name its"
          + " libmooncake_store.so in store.mooncake.library or in "
          + VARIABLE;

  /** What was loaded and stays; held, or JNA would unload it. */
  private record Loaded(String name, NativeLibrary library) {}

  private static Loaded loaded;
  private static final Abi ABI = new JnaAbi();

  private StoreLibrary() {}

  /**
   * {@return the library}
   *
   * @param configured the setting, which wins
   * @param environment the process's variables, asked next; without both the loader's path is
   *     searched
   * @param variables for the library, which reads some of them while it is loaded
   * @throws StoreException {@code CONFIGURATION} if it is not there, does not load, or is another
   */
  static synchronized Abi load(
      Optional<Path> configured, Map<String, String> environment, Map<String, String> variables)
      throws StoreException {
    Source source = Source.of(configured, environment);
    if (loaded != null && !loaded.name.equals(source.library)) {
      throw configuration(
          "%s: this process has loaded %s, and it can load one; use the same for every store, or another process"
              .formatted(source, loaded.name));
    }
    if (loaded == null) {
      source.checkFile();
      JnaNatives.prepare();
    }
    NativeEnvironment.set(variables);
    if (loaded == null) {
      loaded = new Loaded(source.library, bind(source));
    }
    return ABI;
  }

  /** Where the library comes from, as an operator wrote it. */
  private record Source(String origin, String library, boolean file) {
    static Source of(Optional<Path> configured, Map<String, String> environment) {
      String variable = environment.getOrDefault(VARIABLE, "");
      if (configured.isPresent()) {
        return new Source("library", configured.get().toAbsolutePath().toString(), true);
      }
      return variable.isBlank()
          ? new Source("the loader's path", NAME, false)
          : new Source(VARIABLE, Path.of(variable).toAbsolutePath().toString(), true);
    }

    void checkFile() throws StoreException {
      if (file && !Files.isRegularFile(Path.of(library))) {
        throw configuration("%s: there is no such file%s".formatted(this, WAY_OUT));
      }
    }

    @Override
    public String toString() {
      return file
          ? "%s: \"%s\"".formatted(origin, library)
          : "library: not given, and libmooncake_store.so is not on " + origin;
    }
  }

  private static NativeLibrary bind(Source source) throws StoreException {
    FunctionMapper names = (_, method) -> Functions.symbol(method.getName());
    NativeLibrary found;
    try {
      found =
          NativeLibrary.getInstance(source.library, Map.of(Library.OPTION_FUNCTION_MAPPER, names));
    } catch (UnsatisfiedLinkError e) {
      String why = source.file ? " does not load: " + firstLine(e) : "";
      throw configuration(source + why + WAY_OUT, e);
    }
    List<String> missing =
        Arrays.stream(Functions.class.getDeclaredMethods())
            .filter(m -> Modifier.isNative(m.getModifiers()))
            .map(Method::getName)
            .map(Functions::symbol)
            .filter(symbol -> !has(found, symbol))
            .sorted()
            .toList();
    if (!missing.isEmpty()) {
      found.close();
      throw configuration(
          "%s: it lacks %s, so it is another library or another version of it; Kvasir knows store_c.h of Mooncake 0.3.12%s"
              .formatted(source, String.join(", ", missing), WAY_OUT));
    }
    Native.register(Functions.class, found);
    return found;
  }

  private static boolean has(NativeLibrary library, String symbol) {
    try {
      return library.getFunction(symbol) != null;
    } catch (UnsatisfiedLinkError e) {
      return false;
    }
  }

  private static String firstLine(Throwable e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("no reason given");
  }

  private static StoreException configuration(String message) {
    return configuration(message, null);
  }

  private static StoreException configuration(String message, Throwable cause) {
    return new StoreException(StoreException.Kind.CONFIGURATION, message, cause);
  }
}

package io.kvasir.cuda.standin;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;

/**
 * The driver stand-in of this process: {@code libcuda.so.1}, made by gcc of {@code standin.c} and
 * of the kernels that the CUDA plugin ships. Once it is loaded, whoever asks for a library of that
 * name gets it. Also its switches; see {@code standin.c}.
 */
@SuppressWarnings("restricted") // calls the stand-in
public final class StandIn {
  private static final List<String> LEAKS =
      List.of("device", "host", "registered", "streams", "events", "contexts");

  /** What is live when all was given back. */
  public static final Map<String, Long> NOTHING =
      LEAKS.stream().collect(Collectors.toUnmodifiableMap(name -> name, _ -> 0L));

  private static StandIn loaded;

  private final SymbolLookup symbols;
  private final Map<String, MethodHandle> handles = new ConcurrentHashMap<>();

  private StandIn(Path library) {
    this.symbols = SymbolLookup.libraryLookup(library, Arena.global());
  }

  /** {@return the stand-in; the test is skipped where there is no compiler} */
  public static synchronized StandIn load() {
    if (loaded == null) {
      loaded = new StandIn(build(Path.of("target", "standin")));
    }
    return loaded;
  }

  /**
   * {@return the library, made in a directory unless it is there}
   *
   * @param directory such as {@code target/standin}
   */
  public static Path build(Path directory) {
    try {
      Files.createDirectories(directory);
      boolean fresh = true;
      for (String source : List.of("standin.c", "kernels.cpp", "kernels.cu", "device.h")) {
        try (InputStream in = StandIn.class.getResourceAsStream(source)) {
          byte[] text = in.readAllBytes();
          Path file = directory.resolve(source);
          if (!Files.exists(file) || !java.util.Arrays.equals(text, Files.readAllBytes(file))) {
            Files.write(file, text);
            fresh = false;
          }
        }
      }
      Path library = directory.resolve("libcuda.so.1").toAbsolutePath();
      if (!fresh || !Files.exists(library)) {
        compile(directory, library);
      }
      return library;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void compile(Path directory, Path library) throws IOException {
    List<String> strict = List.of("-O2", "-fPIC", "-pthread", "-Wall", "-Wextra", "-Werror", "-c");
    run(directory, "gcc", "-std=c11", strict, "standin.c");
    run(directory, "g++", "-std=c++17", strict, "-DKVASIR_STANDIN", "kernels.cpp");
    List<String> link = List.of("-shared", "-pthread", "-Wl,-soname,libcuda.so.1", "-o", "new.so");
    run(directory, "g++", link, "standin.o", "kernels.o");
    Files.move(directory.resolve("new.so"), library, StandardCopyOption.REPLACE_EXISTING);
  }

  private static void run(Path directory, Object... parts) throws IOException {
    List<String> command = new ArrayList<>();
    for (Object part : parts) {
      if (part instanceof List<?> several) {
        several.forEach(s -> command.add((String) s));
      } else {
        command.add((String) part);
      }
    }
    Process process;
    try {
      process = new ProcessBuilder(command).directory(directory.toFile()).inheritIO().start();
    } catch (IOException e) {
      Assumptions.abort("no " + command.getFirst() + " to make the driver stand-in; install it");
      throw e;
    }
    try {
      if (process.waitFor() != 0) {
        throw new AssertionError(command + " failed");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** {@return its symbols} */
  public SymbolLookup symbols() {
    return symbols;
  }

  /** Calls a function of which the first layout is what it returns. */
  Object call(String name, List<MemoryLayout> layouts, Object... arguments) {
    MethodHandle handle =
        handles.computeIfAbsent(
            name,
            n -> {
              MemoryLayout[] rest = layouts.subList(1, layouts.size()).toArray(MemoryLayout[]::new);
              FunctionDescriptor type =
                  layouts.getFirst() == null
                      ? FunctionDescriptor.ofVoid(rest)
                      : FunctionDescriptor.of(layouts.getFirst(), rest);
              return Linker.nativeLinker().downcallHandle(symbols.findOrThrow(n), type);
            });
    try {
      return handle.invokeWithArguments(arguments);
    } catch (Throwable t) {
      throw new AssertionError(name, t);
    }
  }

  private void tell(String name, MemoryLayout layout, Object argument) {
    List<MemoryLayout> layouts = new ArrayList<>();
    layouts.add(null);
    layouts.add(layout);
    call(name, layouts, argument);
  }

  /** Sets what each operation of a stream takes beside its work. */
  public void delay(long micros) {
    tell("standin_delay", JAVA_LONG, micros);
  }

  /** Sets whether copies and kernels are taken and not done, to time whoever calls. */
  public void idle(boolean on) {
    tell("standin_idle", JAVA_INT, on ? 1 : 0);
  }

  /** Sets the driver's version, as 12080 for 12.8. */
  public void version(int version) {
    tell("standin_version", JAVA_INT, version);
  }

  /** Sets the size of the device's memory. */
  public void memory(long bytes) {
    tell("standin_memory", JAVA_LONG, bytes);
  }

  /**
   * Plans failures of a driver function.
   *
   * @param function its exported name, such as {@code cuMemAlloc_v2}
   * @param after how many calls go well before
   * @param code what it returns
   * @param times how many calls fail
   */
  public void fail(String function, int after, int code, int times) {
    try (Arena arena = Arena.ofConfined()) {
      List<MemoryLayout> layouts = new ArrayList<>();
      layouts.add(null);
      layouts.addAll(List.of(ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT));
      call("standin_fail", layouts, arena.allocateFrom(function), after, code, times);
    }
  }

  /** Loses the device: every call fails from now on. */
  public void lose() {
    nothing("standin_lose");
  }

  /** Waits for all that any stream was handed, as before memory is freed that a flaw left to it. */
  public void settle() {
    nothing("standin_settle");
  }

  /** Ends planned failures and the loss of the device; what was queued when it was lost is gone. */
  public void recover() {
    nothing("standin_recover");
  }

  private void nothing(String name) {
    List<MemoryLayout> layouts = new ArrayList<>();
    layouts.add(null);
    call(name, layouts);
  }

  /** {@return a count, by its name in {@code standin.c}} */
  public long count(String name) {
    try (Arena arena = Arena.ofConfined()) {
      long count =
          (long) call("standin_count", List.of(JAVA_LONG, ADDRESS), arena.allocateFrom(name));
      if (count < 0 && !name.equals("contexts")) {
        throw new IllegalArgumentException("no count " + name);
      }
      return count;
    }
  }

  /** {@return what is allocated, pinned or open, by kind} */
  public Map<String, Long> live() {
    Map<String, Long> live = new TreeMap<>();
    LEAKS.forEach(name -> live.put(name, count(name)));
    return live;
  }

  /** {@return the memory behind an address, to give to a call} */
  static MemorySegment pointer(long address) {
    return MemorySegment.ofAddress(address);
  }
}

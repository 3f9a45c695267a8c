import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * Measures how long {@code kvasir format MODEL --json} takes: {@code java dev/StartTime.java
 * DISTRIBUTION MODEL…}, where a model may be a folder of configurations. The first is measured with
 * {@code -Drounds} (20) rounds, in which {@code kvasir --version} and {@code kvasir format} take
 * turns; then each one with {@code -Deach} (3). Printed are, in milliseconds, the processes' time
 * from outside, and the time inside of the JVM from the entry of {@code main} to its end, which an
 * agent in the same command takes. KVASIR_JAVA is passed on; it must be a JDK.
 */
public final class StartTime {
  private static final int ROUNDS = Integer.getInteger("rounds", 20);
  private static final int EACH = Integer.getInteger("each", 3);

  private final Path kvasir;
  private final Path agent;

  private StartTime(Path kvasir, Path agent) {
    this.kvasir = kvasir;
    this.agent = agent;
  }

  /** What the agent does in the measured JVM, just before its main. */
  public static void premain(String file) {
    long start = System.nanoTime();
    Runnable end =
        () -> {
          try {
            Files.writeString(Path.of(file), String.valueOf(System.nanoTime() - start));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        };
    Runtime.getRuntime().addShutdownHook(new Thread(end));
  }

  public static void main(String[] args) throws Exception {
    List<Path> models = new ArrayList<>();
    for (String each : Arrays.asList(args).subList(1, args.length)) {
      Path path = Path.of(each);
      boolean model = !Files.isDirectory(path) || Files.exists(path.resolve("config.json"));
      try (Stream<Path> files = model ? Stream.of(path) : Files.list(path)) {
        files
            .filter(f -> !f.toString().matches(".*(expected|hf_quant_config)\\.json"))
            .filter(f -> f.toString().matches(".*\\.(json|gguf)"))
            .sorted()
            .forEach(models::add);
      }
    }
    Path folder = Files.createTempDirectory("start-time");
    StartTime time = new StartTime(Path.of(args[0], "bin", "kvasir"), agent(folder));
    Path inside = folder.resolve("inside");
    double[][] found = new double[4][ROUNDS];
    for (int i = -2; i < ROUNDS; i++) { // the first two warm the page cache
      String model = models.getFirst().toString();
      int at = Math.max(i, 0);
      found[0][at] = time.run(null, "--version");
      found[1][at] = time.run(null, "format", model, "--json");
      time.run(inside, "--version");
      found[2][at] = Long.parseLong(Files.readString(inside)) / 1e6;
      time.run(inside, "format", model, "--json");
      found[3][at] = Long.parseLong(Files.readString(inside)) / 1e6;
    }
    say("kvasir --version, process", found[0]);
    say("kvasir format, process", found[1]);
    System.out.printf(
        Locale.ROOT,
        "%-28s %.1f%n",
        "difference of the medians",
        median(found[1]) - median(found[0]));
    say("kvasir --version, in main", found[2]);
    say("kvasir format, in main", found[3]);
    double[] processes = new double[models.size()];
    double[] mains = new double[models.size()];
    for (int m = 0; m < models.size(); m++) {
      double[] process = new double[EACH];
      double[] main = new double[EACH];
      for (int i = 0; i < EACH; i++) {
        process[i] = time.run(null, "format", models.get(m).toString(), "--json");
        time.run(inside, "format", models.get(m).toString(), "--json");
        main[i] = Long.parseLong(Files.readString(inside)) / 1e6;
      }
      processes[m] = median(process);
      mains[m] = median(main);
    }
    say("each model, process", processes);
    say("each model, in main", mains);
  }

  private static Path agent(Path folder) throws IOException {
    String source = "dev/StartTime.java";
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-nowarn", "-d", folder.toString(), source);
    if (failed != 0) {
      throw new IllegalStateException("start it in the folder of the repository");
    }
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", StartTime.class.getName());
    Path jar = folder.resolve("agent.jar");
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream entries = new JarOutputStream(out, manifest)) {
      entries.putNextEntry(new JarEntry("StartTime.class"));
      entries.write(Files.readAllBytes(folder.resolve("StartTime.class")));
    }
    return jar;
  }

  /**
   * {@return the milliseconds that a command takes from outside}
   *
   * @param inside where the agent writes; null is without one
   */
  private double run(Path inside, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(kvasir.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    if (inside != null) {
      builder.environment().put("KVASIR_OPTIONS", "-javaagent:" + agent + "=" + inside);
    }
    long start = System.nanoTime();
    int status = builder.start().waitFor();
    double millis = (System.nanoTime() - start) / 1e6;
    if (status != 0) {
      throw new IllegalStateException(command + " ended with " + status);
    }
    return millis;
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int half = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

  private static void say(String what, double[] values) {
    System.out.printf(
        Locale.ROOT,
        "%-28s median %.1f, least %.1f, most %.1f, of %d%n",
        what,
        median(values),
        Arrays.stream(values).min().orElseThrow(),
        Arrays.stream(values).max().orElseThrow(),
        values.length);
  }
}

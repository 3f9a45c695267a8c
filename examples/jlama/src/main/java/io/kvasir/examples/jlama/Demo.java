package io.kvasir.examples.jlama;

import io.kvasir.examples.jlama.DemoReport.Line;
import io.kvasir.examples.jlama.DemoReport.Runs;
import io.kvasir.examples.jlama.RandomLlama.Shape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The main job, shown: a long document is read once and asked about twice, by two engines in two
 * processes. {@code ./demo} at the root of the repository starts it.
 *
 * <p>Ends with 0 if every verdict holds, 1 if one does not, 2 if it could not run.
 */
public final class Demo {
  private static final double REQUIRED_SPEEDUP = 10;
  private static final int TOKENS_FOR_SPEEDUP = 2000;

  private final DemoOptions options;
  private final Path plugins;
  private final Path work;
  private final FreshJvm jvm;
  private final int planned;
  private int done;

  private Demo(DemoOptions options, Path plugins, Path work) {
    this.options = options;
    this.plugins = plugins;
    this.work = work;
    this.jvm = new FreshJvm(work);
    this.planned = 2 * options.runs() + 3 + (options.model().isEmpty() ? 2 : 1);
  }

  /** Takes the options of {@link DemoOptions}; {@code kvasir.plugins} names the plugins' folder. */
  public static void main(String[] arguments) throws InterruptedException {
    System.exit(run(List.of(arguments)));
  }

  private static int run(List<String> arguments) throws InterruptedException {
    if (arguments.contains("--help")) {
      System.out.print(DemoOptions.USAGE);
      return 0;
    }
    try {
      DemoOptions options = DemoOptions.parse(arguments);
      Path plugins = pluginsFolder();
      Path work = Files.createTempDirectory("kvasir-demo-");
      // an interrupted run leaves nothing behind either
      Runtime.getRuntime().addShutdownHook(new Thread(() -> endAndDelete(work)));
      DemoReport report = new Demo(options, plugins, work).report();
      System.out.println();
      System.out.print(report.table());
      if (options.json()) {
        System.out.println(report.json());
      }
      return report.verdicts().stream().allMatch(DemoReport.Verdict::holds) ? 0 : 1;
    } catch (IOException | UncheckedIOException | IllegalArgumentException e) {
      System.err.println("demo: " + e.getMessage());
      return 2;
    }
  }

  private static Path pluginsFolder() {
    String folder = System.getProperty("kvasir.plugins");
    if (folder == null || !Files.isDirectory(Path.of(folder))) {
      throw new IllegalArgumentException(
          "-Dkvasir.plugins=%s: no folder of plugins; start ./demo, which builds one and names it"
              .formatted(folder));
    }
    return Path.of(folder).toAbsolutePath();
  }

  private DemoReport report() throws IOException, InterruptedException {
    Path model = model();
    checkContext(ModelFiles.read(model));
    List<Generation> misses = new ArrayList<>();
    List<Generation> hits = new ArrayList<>();
    Path strict = null;
    for (int i = 1; i <= options.runs(); i++) {
      strict = configuration("store-" + i, false);
      misses.add(ask("question A, empty store", model, strict, Prompts.QUESTION_A));
      hits.add(ask("question B, same store", model, strict, Prompts.QUESTION_B));
    }
    Generation control = ask("question B, no store", model, null, Prompts.QUESTION_B);

    List<Line> others = new ArrayList<>();
    List<Path> otherModels = new ArrayList<>();
    if (options.model().isEmpty()) {
      Path otherSeed = work.resolve("other-seed").resolve(model.getFileName());
      RandomLlama.write(otherSeed, 43, Shape.MEDIUM);
      otherModels.add(otherSeed);
      others.add(other("question B, other weights, same name", otherSeed, strict));
    }
    Path oneNumber = work.resolve("one-number").resolve(model.getFileName());
    ModelFiles.read(model).copyWithOneOtherNumber(oneNumber);
    otherModels.add(oneNumber);
    others.add(other("question B, one weight differs", oneNumber, strict));

    Path unsafe = configuration("store-legacy", true);
    ask("lmdeploy-v1: question A", model, unsafe, Prompts.QUESTION_A);
    Line legacy = other("lmdeploy-v1: question B, other weights", otherModels.getFirst(), unsafe);

    boolean claimsSpeedup =
        options.model().isEmpty() && options.sharedTokens() >= TOKENS_FOR_SPEEDUP;
    return new DemoReport(
        new Runs(
            new Line("question A, nothing stored yet", misses),
            new Line("question B, document found", hits),
            Line.of("question B, no store (control)", control),
            others,
            legacy),
        options.sharedTokens(),
        claimsSpeedup ? REQUIRED_SPEEDUP : 0);
  }

  private Path model() throws IOException {
    if (options.model().isPresent()) {
      Path model = options.model().get().toAbsolutePath().normalize();
      ModelFiles.read(model);
      System.out.printf("model: %s%n", model);
      return model;
    }
    Path model = work.resolve("model").resolve("random-llama-23m");
    RandomLlama.write(model, 42, Shape.MEDIUM);
    System.out.println("model: a random Llama of 23 M parameters, written for this run");
    return model;
  }

  private void checkContext(ModelFiles model) {
    int context = model.config().path("max_position_embeddings").asInt(Integer.MAX_VALUE);
    int room = context - options.newTokens() - Prompts.QUESTION_TOKENS;
    if (options.sharedTokens() > room) {
      throw new IllegalArgumentException(
          "--shared-tokens: %d do not fit the model's context of %d; give at most %d"
              .formatted(options.sharedTokens(), context, room));
    }
  }

  private Line other(String what, Path model, Path configuration)
      throws IOException, InterruptedException {
    return Line.of(what, ask(what, model, configuration, Prompts.QUESTION_B));
  }

  private Generation ask(String what, Path model, Path configuration, String question)
      throws IOException, InterruptedException {
    System.out.printf("[%2d/%d] fresh JVM: %-44s", ++done, planned, what);
    System.out.flush();
    DemoRequest request =
        new DemoRequest(
            done,
            model.toString(),
            configuration == null ? null : configuration.toString(),
            options.sharedTokens(),
            question,
            options.newTokens());
    Generation run;
    try {
      run = jvm.run(request);
    } catch (IOException e) {
      System.out.println(" failed");
      throw e;
    }
    System.out.printf(
        " %5d found, %5d computed, %6.0f ms%n",
        run.hitTokens(), run.computedTokens(), run.prefillMillis());
    return run;
  }

  private Path configuration(String store, boolean legacy) throws IOException {
    Path directory = Files.createDirectories(work.resolve(store));
    Map<String, Object> settings =
        Map.of(options.store().key(), options.store().settings(directory, System.getenv()));
    String tenant = work.getFileName() + "-" + store;
    return DemoConfiguration.write(
        work.resolve(store + ".json"), plugins, settings, tenant, legacy);
  }

  private static void endAndDelete(Path directory) {
    ProcessHandle.current()
        .children()
        .forEach(
            child -> {
              child.destroyForcibly();
              child.onExit().join();
            });
    try (Stream<Path> paths = Files.walk(directory)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException | UncheckedIOException e) {
      System.err.printf("demo: %s is left behind: %s%n", directory, e.getMessage());
    }
  }
}

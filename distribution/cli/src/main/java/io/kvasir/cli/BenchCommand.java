package io.kvasir.cli;

import io.kvasir.api.ByteSize;
import io.kvasir.api.KvasirException;
import io.kvasir.api.store.StoreException;
import io.kvasir.cli.bench.DiskBench;
import io.kvasir.conformance.speed.Interleaved;
import io.kvasir.conformance.speed.Median;
import io.kvasir.core.Deployment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.json.JsonMapper;

/** {@code kvasir bench}. */
@Command(
    name = "bench",
    description =
        "Measures how much of a disk's speed the local store gives, in a store of its own that is"
            + " removed afterwards.")
final class BenchCommand implements Callable<Integer> {
  private static final double GOOD = 0.9;
  private static final double FAIR = 0.7;

  @Mixin private Common common;

  @Parameters(
      paramLabel = "DIRECTORY",
      arity = "0..1",
      description = "A directory on the disk; where the configured store lies unless given.")
  private Path directory;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      defaultValue = "2 GiB",
      description =
          "What a round moves, at least 3 batches of 32 blocks; ${DEFAULT-VALUE} unless"
              + " given.")
  private String size;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "9",
      description = "Rounds of writing and of reading; ${DEFAULT-VALUE} unless given.")
  private int rounds;

  @Option(
      names = "--block",
      paramLabel = "SIZE",
      defaultValue = "2 MiB",
      description = "Payload of a block, a multiple of 4096 bytes; ${DEFAULT-VALUE} unless given.")
  private String block;

  BenchCommand() {}

  @Override
  public Integer call() throws Exception {
    long roundBytes = size("--size", size).bytes();
    long blockBytes = size("--block", block).bytes();
    if (blockBytes < 4096 || blockBytes % 4096 != 0 || blockBytes > 64 << 20) {
      throw common.wrong("--block: " + block + ": write a multiple of 4096 bytes up to 64 MiB");
    }
    if (rounds < 1) {
      throw common.wrong("--rounds: " + rounds + ": write 1 or more");
    }
    Path parent = parent();
    long capacity = DiskBench.capacity((int) blockBytes, roundBytes);
    long free = Files.getFileStore(parent).getUsableSpace();
    if (free < capacity + (64L << 20)) {
      return common
          .output()
          .error(
              "%s: %s are free, and the measurement needs %s; choose a smaller --size"
                  .formatted(parent, Quantities.bytes(free), Quantities.bytes(capacity)),
              ExitCode.FAILED);
    }
    try (Scratch scratch = Scratch.near(parent, "kvasir-bench-", () -> {})) {
      return measure(scratch.folder(), capacity, (int) blockBytes, roundBytes);
    }
  }

  private ByteSize size(String option, String text) {
    try {
      return ByteSize.parse(text);
    } catch (IllegalArgumentException e) {
      throw common.wrong(option + ": " + e.getMessage());
    }
  }

  private Path parent() throws IOException {
    Path chosen = directory;
    if (chosen == null) {
      try (Deployment configured = common.deployment()) {
        chosen = configured.storePaths().get("directory");
      }
      if (chosen == null) {
        throw common.wrong("the configured store has no directory; name one to measure in");
      }
      chosen = Scratch.existing(chosen);
    }
    if (!Files.isDirectory(chosen)) {
      throw common.wrong(chosen + " is not a directory; name one on the disk to measure");
    }
    return chosen.toRealPath();
  }

  private int measure(Path folder, long capacity, int blockBytes, long roundBytes)
      throws Exception {
    Path store = folder.resolve("store");
    Path configuration = Files.writeString(folder.resolve("kvasir.json"), json(store, capacity));
    Output output = common.output();
    try (Deployment deployment = Deployment.of(configuration)) {
      var opened = deployment.store().store();
      DiskBench bench =
          new DiskBench(opened, store, blockBytes, roundBytes, rounds, progress(output));
      DiskBench.Result result = bench.run();
      String mode = opened.health().detail();
      print(output, folder.getParent(), mode, blockBytes, result);
      return ExitCode.OK;
    } catch (IOException e) {
      throw new KvasirException(
          folder.getParent() + ": " + e.getMessage(),
          new StoreException(StoreException.Kind.IO, e.getMessage(), e));
    }
  }

  private String json(Path store, long capacity) {
    Map<String, Object> local = new LinkedHashMap<>();
    local.put("directory", store.toString());
    local.put("capacity", Long.toString(capacity) + " B");
    local.put("keep-free", "0 B");
    local.put("scrub", "0 B");
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("tenant", "bench");
    all.put("store", Map.of("local", local));
    if (Files.exists(common.config())) {
      try (Deployment configured = common.deployment()) {
        configured
            .settings()
            .plugins()
            .directory()
            .ifPresent(plugins -> all.put("plugins", Map.of("directory", plugins.toString())));
      }
    }
    return JsonMapper.shared().writeValueAsString(all);
  }

  @SuppressWarnings("SystemConsoleNull") // it is, where the module graph has no jdk.internal.le
  private static DiskBench.Progress progress(Output output) {
    if (output.json() || System.console() == null || !System.console().isTerminal()) {
      return (share, doing) -> {};
    }
    return (share, doing) -> {
      int marks = (int) Math.round(share * 40);
      output.err().printf("\r[%s%s] %-8s", "#".repeat(marks), " ".repeat(40 - marks), doing);
      if (share >= 1) {
        output.err().print("\r" + " ".repeat(60) + "\r");
      }
      output.err().flush();
    };
  }

  private void print(
      Output output, Path where, String mode, int blockBytes, DiskBench.Result result) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("directory", where.toString());
    json.put("mode", mode);
    json.put("block_bytes", blockBytes);
    json.put("rounds", rounds);
    json.put("put", json(result.put()));
    json.put("get", json(result.get()));
    json.put("verdict", verdict(mode, result));
    output.value(json);
    output.table(
        List.of(
            List.of("", "DISK", "STORE", "STORE / DISK", "CPU"),
            row("put, durable", result.put()),
            row("get, not cached", result.get())));
    output.line("");
    output.line(verdict(mode, result));
  }

  private static List<String> row(String what, Interleaved rounds) {
    Median ratio = rounds.ratio();
    return List.of(
        what,
        two(rounds.rawSpeed().value()) + " GB/s",
        two(rounds.speed().value()) + " GB/s",
        "%s (%s to %s)".formatted(two(ratio.value()), two(ratio.low()), two(ratio.high())),
        String.format(Locale.ROOT, "%.3f s/GB", rounds.cpu().value()));
  }

  private static Map<String, Object> json(Interleaved rounds) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("gb_per_s", rounds.speed().value());
    json.put("raw_gb_per_s", rounds.rawSpeed().value());
    json.put("ratio", rounds.ratio().value());
    json.put("ratio_low", rounds.ratio().low());
    json.put("ratio_high", rounds.ratio().high());
    json.put("cpu_s_per_gb", rounds.cpu().value());
    return json;
  }

  static String verdict(String mode, DiskBench.Result result) {
    double put = result.put().ratio().value();
    double get = result.get().ratio().value();
    double worse = Math.min(put, get);
    String words =
        worse >= GOOD
            ? "there is no more to be had"
            : worse >= FAIR
                ? "something else uses the disk or the processors; measure again when it is quiet"
                : "far below: look at the load, at free memory and at the store's mode (%s)"
                    .formatted(mode);
    return "puts at %s of what this disk can do, gets at %s: %s"
        .formatted(two(put), two(get), words);
  }

  private static String two(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }
}

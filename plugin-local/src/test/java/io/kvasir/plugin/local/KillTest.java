package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real process, a real disk, and SIGKILL: what its output acknowledged is there afterwards. */
class KillTest {
  private static final NamespaceManifest MANIFEST = Fixture.manifest("acme", 1);
  private static final int ROUNDS = Boolean.getBoolean("kvasir.soak") ? 200 : 20;
  private static final int BLOCKS = 4;
  private static final long CAPACITY = 256 << 20;

  /**
   * Saves chains of blocks from two threads and prints each one's number once it is acknowledged.
   */
  static final class Victim {
    public static void main(String[] args) throws Exception {
      LocalStore store = Fixture.open(Fixture.config(Path.of(args[0]), CAPACITY));
      NamespaceStore namespace = store.open(MANIFEST);
      int first = Integer.parseInt(args[1]);
      for (int thread = 0; thread < 2; thread++) {
        int start = first + thread;
        Thread.ofPlatform()
            .start(
                () -> {
                  for (int prompt = start; ; prompt += 2) {
                    Blocks saved = Fixture.save(namespace, Fixture.keys(MANIFEST, prompt, BLOCKS));
                    if (Fixture.count(saved, BlockStatus.OK) == BLOCKS) {
                      System.out.println(prompt);
                    }
                  }
                });
      }
    }
  }

  @Test
  void whatAKilledProcessAcknowledgedIsThere(@TempDir Path temporary) throws Exception {
    Path directory = temporary.resolve("store");
    long seed = Long.getLong("kvasir.seed", System.nanoTime());
    Random random = new Random(seed);
    Set<Integer> acknowledged = new LinkedHashSet<>();
    for (int round = 0; round < ROUNDS; round++) {
      List<Integer> now = kill(directory, round * 100_000, 1 + random.nextInt(40));
      acknowledged.addAll(now);
      verify(directory, acknowledged, "round " + round + " of seed " + seed);
    }
    System.out.println(ROUNDS + " kills, " + acknowledged.size() * BLOCKS + " blocks acknowledged");
  }

  /** Starts a victim and kills it after that many acknowledgements; returns all that it printed. */
  private static List<Integer> kill(Path directory, int first, int count) throws Exception {
    Path output = directory.resolveSibling(directory.getFileName() + ".out");
    Process process = start(directory, first, output);
    while (process.isAlive() && acknowledged(output).size() < count) {
      Thread.sleep(2);
    }
    process.destroyForcibly().waitFor();
    List<Integer> acknowledged = acknowledged(output);
    assertTrue(acknowledged.size() >= count, "the victim ended by itself");
    return acknowledged;
  }

  /** Whole lines only: the last one may have been cut short. */
  private static List<Integer> acknowledged(Path output) throws Exception {
    String text = Files.readString(output);
    return text.substring(0, text.lastIndexOf('\n') + 1).lines().map(Integer::valueOf).toList();
  }

  private static Process start(Path directory, int first, Path output) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto"));
    String path = System.getProperty("jdk.module.path");
    String classes = System.getProperty("java.class.path");
    String all =
        path == null ? classes : path + File.pathSeparator + classes + File.pathSeparator + own();
    command.addAll(List.of("-cp", all, Victim.class.getName(), directory.toString(), "" + first));
    return new ProcessBuilder(command)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .redirectOutput(output.toFile())
        .start();
  }

  /** Where the tests' own classes lie: in module mode they are patched in and on no path. */
  private static String own() throws Exception {
    Path main = Path.of("target", "classes").toAbsolutePath();
    return main + File.pathSeparator + Path.of("target", "test-classes").toAbsolutePath();
  }

  private static void verify(Path directory, Set<Integer> acknowledged, String when)
      throws Exception {
    try (LocalStore store = Fixture.open(Fixture.config(directory, CAPACITY));
        NamespaceStore namespace = store.open(MANIFEST)) {
      for (int prompt : acknowledged) {
        BlockKeys keys = Fixture.keys(MANIFEST, prompt, BLOCKS);
        Blocks loaded = Fixture.frames(keys);
        try (BlockLease lease = namespace.lookup(keys, Deadline.never())) {
          namespace.load(lease, loaded, Deadline.never());
        }
        for (int i = 0; i < BLOCKS; i++) {
          assertEquals(BlockStatus.OK, loaded.status(i), when);
          assertTrue(Fixture.holdsItsBytes(loaded, i), when);
        }
      }
    }
  }
}

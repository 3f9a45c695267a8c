package io.kvasir.plugin.mooncake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Opening, using and closing again and again leaves nothing behind. */
class LeakTest {
  private static final int ROUNDS = 1_000;

  /** Rounds after which class loading, compiled code and the heap have their size. */
  private static final int WARM = ROUNDS / 4;

  /** Memory that a round may cost at most; a handle, a thread or a frame that is left is more. */
  private static final long BYTES_PER_ROUND = 16 << 10;

  private static final long SLACK = 48 << 20;

  private record Held(long files, long threads, long bytes) {
    static Held now() throws IOException {
      System.gc();
      long bytes =
          Files.readAllLines(Path.of("/proc/self/status")).stream()
              .filter(line -> line.startsWith("RssAnon:"))
              .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
              .sum();
      return new Held(entries("/proc/self/fd"), entries("/proc/self/task"), bytes);
    }

    private static long entries(String folder) throws IOException {
      try (Stream<Path> all = Files.list(Path.of(folder))) {
        return all.count();
      }
    }
  }

  @Test
  void roundsOfOpenUseAndCloseLeaveNoFileThreadMemoryOrRegistrationBehind() throws Exception {
    Rig.needsStandin();
    String master = Rig.master(16 << 20);
    long handles = Rig.get("handles");
    long registered = Rig.get("registered_bytes");
    Held before = null;
    for (int round = 0; round < ROUNDS; round++) {
      if (round == WARM) {
        before = settled();
      }
      try (Client client = new Client(new Settings(master))) {
        Client.all(BlockStatus.OK, client.save(client.keys(round, 4)));
        Client.all(BlockStatus.OK, client.load(client.keys(round, 4)));
        assertEquals(4, client.found(client.keys(round, 4)));
        client.namespace.remove(
            client.keys(round, 4), Client.in(10_000)); // or it is full of leases
      }
      assertEquals(handles, Rig.get("handles"), "round " + round);
      assertEquals(registered, Rig.get("registered_bytes"), "round " + round);
    }
    Held after = settled();
    System.out.println(ROUNDS - WARM + " rounds: " + before + " then " + after);
    assertTrue(after.files <= before.files + 2, before + " then " + after);
    assertTrue(after.threads <= before.threads + 2, before + " then " + after);
    assertTrue(
        after.bytes - before.bytes <= SLACK + (ROUNDS - WARM) * BYTES_PER_ROUND,
        before + " then " + after);
  }

  /** What is held once threads that were told to end have ended. */
  private static Held settled() throws Exception {
    Client.until(
        "threads of closed stores end",
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(t -> t.getName().startsWith("kvasir-mooncake-")));
    return Held.now();
  }
}

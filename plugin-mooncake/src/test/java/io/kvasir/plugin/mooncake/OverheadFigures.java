package io.kvasir.plugin.mooncake;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import io.kvasir.api.ByteSize;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.conformance.Chains;
import io.kvasir.conformance.Manifests;
import io.kvasir.conformance.StoreBench;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A program, not a test: what Java adds to the calls of the library, on the stand-in or on the
 * cluster that {@link Rig} names. Rounds of C, of the binding and of the store in turn; a ratio is
 * that of two neighbours, and of these the median and the middle half.
 *
 * <p>The binding writes keys and arrays down, hands the call to a thread and reads the results. The
 * store does that, seals or verifies each block by its checksum, and after a save asks whether it
 * can be read.
 */
@SuppressWarnings("restricted") // memory of C
final class OverheadFigures {
  private static final int ROUNDS = 61;
  private static final int WARM = 20; // of large batches
  private static final int WARM_SMALL = 3000; // until the compiler is through
  private static final int BLOCKS = 32;
  private static final long BLOCK = 2 << 20;
  private static final int KEYS = 1000;

  private final Arena arena = Arena.ofShared();
  private final NativeLibrary own;
  private final NativeLibrary library = NativeLibrary.getInstance(Rig.library().toString());
  private final Client client;
  private final Session session;
  private final Cluster cluster;
  private final Naming naming = new Naming.Strict();

  private OverheadFigures(Path folder) throws Exception {
    Path built = folder.resolve("liboverhead.so");
    Process gcc =
        new ProcessBuilder(
                "gcc", "-O2", "-shared", "-fPIC", "-o", built.toString(), "src/test/c/overhead.c")
            .inheritIO()
            .start();
    if (gcc.waitFor() != 0) {
      throw new IllegalStateException("gcc failed");
    }
    own = NativeLibrary.getInstance(built.toString());
    String master = Rig.master(512L << 20);
    Settings settings = new Settings(master);
    settings.leased = new ByteSize(0); // hints: renewals would come between
    client = new Client(settings, Manifests.of("overhead", BLOCK));
    session =
        Session.open(
            StoreLibrary.load(Optional.of(Rig.library()), Map.of(), Map.of()),
            ClientSettings.of(settings.config(), Map.of()));
    Breaker breaker = new Breaker(3, 8, Duration.ofSeconds(1));
    cluster = new Cluster(session, new Calls(session, breaker, 16), new Metrics(), 0, true);
  }

  public static void main(String[] args) throws Exception {
    Path folder = Files.createTempDirectory("kvasir-overhead-");
    OverheadFigures figures = new OverheadFigures(folder);
    figures.run();
    Files.delete(folder.resolve("liboverhead.so"));
    Files.delete(folder);
    System.exit(0);
  }

  /** One way to make a call, which says how many nanoseconds it took. */
  @FunctionalInterface
  private interface Way {
    long time() throws Exception;
  }

  private void run() throws Exception {
    BlockKeys keys = client.keys(1, BLOCKS);
    Blocks blocks = client.filled(keys);
    Batch batch = new Batch(keys, blocks);
    Way remove =
        () -> {
          client.namespace.remove(keys, soon());
          return 0;
        };
    compare(
        WARM,
        "batch_put_from of 32 x 2 MiB",
        remove,
        () -> c("overhead_put", "batch_put_from", batch, true),
        () -> timed(() -> cluster.call("put", soon(), null, batch.put())),
        () -> timed(() -> client.namespace.save(client.again(blocks), soon())));
    client.namespace.remove(keys, soon());
    client.save(keys);
    compare(
        WARM,
        "batch_get_into of 32 x 2 MiB",
        () -> 0,
        () -> c("overhead_get", "batch_get_into", batch, true),
        () -> timed(() -> cluster.call("get", soon(), null, batch.get())),
        () ->
            timed(
                () ->
                    client.namespace.load(
                        BlockLease.hint(keys, _ -> true), client.again(blocks), soon())));
    NamespaceManifest small = Manifests.of("small", 64);
    Client many = new Client(new Settings(client.master()), small);
    BlockKeys all = Chains.keys(small, 1, KEYS);
    StoreBench.all(io.kvasir.api.BlockStatus.OK, many.save(all));
    Batch asked = new Batch(all, null);
    compare(
        WARM_SMALL,
        "batch_is_exist of 1,000 keys",
        () -> 0,
        () -> c("overhead_exist", "batch_is_exist", asked, false),
        () -> timed(() -> cluster.call("exist", soon(), null, asked.exist())),
        () -> timed(() -> many.namespace.lookup(all, soon()).close()));
  }

  private static Deadline soon() {
    return Client.in(60_000);
  }

  private static long timed(Client.Action action) throws Exception {
    long begun = System.nanoTime();
    action.run();
    return System.nanoTime() - begun;
  }

  private static void compare(int warm, String what, Way before, Way c, Way binding, Way store)
      throws Exception {
    double[][] ratios = new double[2][ROUNDS];
    double[] millis = new double[ROUNDS];
    for (int round = -warm; round < ROUNDS; round++) {
      long[] took = new long[3];
      int i = 0;
      for (Way way : new Way[] {c, binding, store}) {
        before.time();
        took[i] = way.time();
        if (took[i++] <= 0) {
          throw new IllegalStateException(what + ": a call failed");
        }
      }
      if (round >= 0) {
        millis[round] = took[0] / 1e6;
        ratios[0][round] = (double) took[1] / took[0];
        ratios[1][round] = (double) took[2] / took[0];
      }
    }
    System.out.printf(
        Locale.ROOT,
        "%s: C %s ms; binding / C %s; store / C %s; %d rounds%n",
        what,
        spread(millis),
        spread(ratios[0]),
        spread(ratios[1]),
        ROUNDS);
  }

  private static String spread(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return String.format(
        Locale.ROOT,
        "%.3f (%.3f to %.3f)",
        sorted[sorted.length / 2],
        sorted[sorted.length / 4],
        sorted[sorted.length * 3 / 4]);
  }

  private long c(String function, String symbol, Batch batch, boolean values) {
    Function call = own.getFunction(function);
    Object f = library.getFunction("mooncake_store_" + symbol);
    long n = batch.count;
    Object[] arguments =
        values
            ? new Object[] {
              f,
              session.handle(),
              batch.keys.address(),
              batch.buffers.address(),
              batch.sizes.address(),
              n,
              batch.results.address()
            }
            : new Object[] {f, session.handle(), batch.keys.address(), n, batch.results.address()};
    return call.invokeLong(arguments);
  }

  /** A batch for C, written down once, and the same for the binding. */
  private final class Batch {
    private final BlockKeys blockKeys;
    private final int count;
    private final int[] which;
    private final long valueBytes;
    private final MemorySegment keys;
    private final MemorySegment buffers;
    private final MemorySegment sizes;
    private final MemorySegment results;
    private final Blocks blocks;

    Batch(BlockKeys blockKeys, Blocks blocks) {
      this.blockKeys = blockKeys;
      this.blocks = blocks;
      this.count = blockKeys.count();
      this.which = IntStream.range(0, count).toArray();
      this.valueBytes = blockKeys.payloadBytes() + Trailer.BYTES;
      this.keys = arena.allocate(ValueLayout.JAVA_LONG, count);
      this.buffers = arena.allocate(ValueLayout.JAVA_LONG, count);
      this.sizes = arena.allocate(ValueLayout.JAVA_LONG, count);
      this.results = arena.allocate(ValueLayout.JAVA_LONG, count);
      for (int i = 0; i < count; i++) {
        keys.setAtIndex(
            ValueLayout.JAVA_LONG, i, Texts.utf8(arena, blockKeys.flatKey(i)).address());
        sizes.setAtIndex(ValueLayout.JAVA_LONG, i, valueBytes);
        if (blocks != null) {
          buffers.setAtIndex(ValueLayout.JAVA_LONG, i, blocks.frame(i).memory().address());
        }
      }
    }

    private void write(Scratch scratch) {
      scratch.write(naming.prefix(blockKeys), blockKeys, which, count);
      if (blocks != null) {
        for (int i = 0; i < count; i++) {
          scratch.value(i, blocks.frame(i).memory().address(), valueBytes);
        }
      }
    }

    Calls.Work put() {
      return (handle, s) -> {
        write(s);
        return s.ints(
            session
                .abi()
                .batchPutFrom(handle, s.keys(), s.buffers(), s.sizes(), count, 0, s.results()));
      };
    }

    Calls.Work get() {
      return (handle, s) -> {
        write(s);
        return s.longs(
            session
                .abi()
                .batchGetInto(handle, s.keys(), s.buffers(), s.sizes(), count, s.results()));
      };
    }

    Calls.Work exist() {
      return (handle, s) -> {
        write(s);
        return s.ints(session.abi().batchIsExist(handle, s.keys(), count, s.results()));
      };
    }
  }
}

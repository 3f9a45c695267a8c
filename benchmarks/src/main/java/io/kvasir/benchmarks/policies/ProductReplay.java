package io.kvasir.benchmarks.policies;

import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.Frame;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.benchmarks.common.Chains;
import io.kvasir.benchmarks.common.Stores;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The product's own eviction on a trace: plugin-local on the disk with the smallest blocks, called
 * as the core calls it for an engine. Each request looks its chain up, loads what is there and
 * saves the rest, a batch at a time, under the lease of the lookup.
 */
final class ProductReplay {
  private static final int PAYLOAD = 4096;
  private static final int SLOT = 8192;
  private static final int BESIDE = 64;
  private static final int BATCH = 32;
  private static final int TOKENS = 16;
  private static final int LOG_PAGES = 1024;
  private static final int SPARE = 128;
  private static final long SMALL_FILES = 1 << 20;

  /**
   * What came out.
   *
   * @param blocks that the store held on the average of the later half of the requests
   */
  record Result(HitRate rate, int blocks) {}

  private final Chains chains = new Chains(PAYLOAD, TOKENS);
  private final Trace trace;

  ProductReplay(Trace trace) {
    this.trace = trace;
  }

  /**
   * Replays the trace in a new store.
   *
   * @param directory must not be there
   * @param blocks that the store should have room for; it keeps slots free for what is on its way,
   *     so that this is met only nearly
   */
  Result run(Path directory, int blocks) throws IOException, StoreException {
    long capacity =
        (long) (blocks + SPARE) * (SLOT + BESIDE) + (LOG_PAGES + 8L) * 4096 + SMALL_FILES;
    Map<String, String> settings =
        Map.of(
            "directory",
            directory.toString(),
            "capacity",
            "" + capacity,
            "durability",
            "none",
            "logPages",
            "" + LOG_PAGES,
            "growth",
            "1 MiB",
            "scrub",
            "0");
    long found = 0;
    long held = 0;
    int half = trace.requests().size() / 2;
    try (Store store = Stores.open("local", settings);
        NamespaceStore namespace = store.open(chains.manifest());
        Arena arena = Arena.ofShared()) {
      List<Frame> frames =
          IntStream.range(0, BATCH)
              .mapToObj(i -> new Frame(arena.allocate(SLOT, 4096), PAYLOAD))
              .toList();
      for (int r = 0; r < trace.requests().size(); r++) {
        int[] request = trace.requests().get(r);
        if (request.length > 0) {
          found += request(namespace, keys(request), frames);
        }
        held += r < half ? 0 : store.usage().blocks();
      }
    }
    return new Result(
        new HitRate(found, trace.accesses()), (int) (held / (trace.requests().size() - half)));
  }

  /** Ids are equal for equal prefixes, and so are the hashes of a chain of them. */
  private BlockKeys keys(int[] request) {
    int[] tokens = new int[request.length * TOKENS];
    for (int i = 0; i < request.length; i++) {
      tokens[i * TOKENS] = request[i];
    }
    return chains.keys(tokens);
  }

  private static int request(NamespaceStore namespace, BlockKeys keys, List<Frame> frames)
      throws IOException, StoreException {
    try (BlockLease lease = namespace.lookup(keys, Deadline.never())) {
      int prefix = lease.prefix();
      for (int at = 0; at < prefix; at += BATCH) {
        Blocks hits = batch(keys, at, Math.min(prefix, at + BATCH), frames);
        namespace.load(lease, hits, Deadline.never());
        Stores.check(hits);
      }
      for (int at = prefix; at < keys.count(); at += BATCH) {
        Blocks fresh = batch(keys, at, Math.min(keys.count(), at + BATCH), frames);
        namespace.save(fresh, Deadline.never());
        Stores.check(fresh);
      }
      return prefix;
    }
  }

  private static Blocks batch(BlockKeys keys, int from, int to, List<Frame> frames) {
    return new Blocks(keys.slice(from, to), frames.subList(0, to - from));
  }
}

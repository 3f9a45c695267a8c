package io.kvasir.benchmarks.compare;

import io.kvasir.benchmarks.common.SparseStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** G3 to G7: what needs no disk speed and no peer store. */
final class OtherGoals {
  private static final int MILLION = 1_000_000;
  private static final int SMALLEST_BLOCK = 4096;
  private static final int TAIL_ONLY = 2;
  private static final int HALF_A_RING = 8192;
  private static final int HASH_ROUNDS = 5;

  /** A large index is found through few page tables, as in any JVM with a large heap. */
  private static final List<String> JVM =
      List.of("-Xmx4g", "-XX:+UseTransparentHugePages", "-XX:NativeMemoryTracking=summary");

  private final Path work;
  private final Sizes sizes;
  private final List<Goal> goals = new ArrayList<>();

  OtherGoals(Path work, Sizes sizes) {
    this.work = work;
    this.sizes = sizes;
  }

  List<Goal> measure() throws IOException {
    memory();
    lookups();
    opens();
    hashes();
    return goals;
  }

  private void memory() throws IOException {
    Compare.say("plugin-memory");
    Figure gets =
        Figure.of(
            ChildJvm.run(
                List.of("-Xmx3g", "-XX:+UseTransparentHugePages"),
                MemoryRun.class,
                "" + sizes.blockBytes()));
    goals.add(Goal.atLeast("G3", "memory: get by memcpy", gets.ratio().value(), 0.70));
  }

  private void lookups() throws IOException {
    String many = millions(sizes.manyBlocks());
    Compare.say("a store of %s blocks".formatted(many));
    IndexRun.Result ten = run("many", sizes.manyBlocks(), SMALLEST_BLOCK, TAIL_ONLY, 0);
    Lookups.Figures lookups = ten.lookups();
    String scan = "2,000 keys of %s by scan, ms, fingerprints given, ".formatted(many);
    goals.add(Goal.atMost("G4", scan + "as saved", lookups.together() / 1000, 0.1));
    goals.add(Goal.atMost("G4", scan + "anywhere", lookups.anywhere() / 1000, 0.1));
    goals.add(Goal.beside("G4", "their fingerprints, ns each", each(lookups.fingerprints())));
    goals.add(Goal.beside("G4", "all of it by the SPI, ms", lookups.whole() / 1000));
    goals.add(
        Goal.beside("G4", "all of it for a chain that is absent, ms", lookups.absent() / 1000));
    goals.add(
        Goal.atMost(
            "G5", "bytes in memory per block, %s blocks".formatted(many), ten.bytesPerBlock(), 80));
    goals.add(
        Goal.atMost(
            "G5", "ns a lookup, fingerprint given, anywhere", each(lookups.anywhere()), 100));
    noneLost(many, ten);
  }

  private void opens() throws IOException {
    String opened = millions(sizes.openedBlocks());
    Compare.say("opening %s blocks after a crash".formatted(opened));
    IndexRun.Result one =
        run("opened", sizes.openedBlocks(), sizes.blockBytes(), TAIL_ONLY, sizes.opens());
    goals.add(
        Goal.atMost(
            "G5",
            "bytes in memory per block, %s blocks".formatted(opened),
            one.bytesPerBlock(),
            80));
    goals.add(
        Goal.atMost(
            "G5",
            "of these in index and fingerprints, %s blocks".formatted(opened),
            one.indexBytesPerBlock(),
            36));
    goals.add(
        Goal.atMost(
            "G6",
            "open of %s blocks after a crash, s, warm JVM".formatted(opened),
            one.openMillis() / 1000,
            0.15 * one.blocks() / MILLION));
    goals.add(Goal.beside("G6", "the first in a fresh JVM, s", one.firstOpenMillis() / 1000));
    noneLost(opened, one);
    if (sizes.halfRing()) {
      IndexRun.Result half =
          run("half-a-ring", sizes.openedBlocks(), sizes.blockBytes(), HALF_A_RING, 5);
      goals.add(
          Goal.beside(
              "G6",
              "the same with half a ring of 16,384 pages to replay, s",
              half.openMillis() / 1000));
      noneLost(opened + ", half a ring", half);
    }
  }

  private static double each(double microsOfChain) {
    return microsOfChain * 1000 / SparseStore.CHAIN;
  }

  private static String millions(int blocks) {
    return blocks % MILLION == 0 ? blocks / MILLION + " M" : "%,d".formatted(blocks);
  }

  private void noneLost(String which, IndexRun.Result result) {
    goals.add(
        Goal.atMost(
            "G6",
            "blocks lost or wrong after a crash, of " + which,
            (double) (result.lost() + result.wrong()),
            0));
  }

  private IndexRun.Result run(String folder, int blocks, int blockBytes, int replayed, int opens)
      throws IOException {
    return IndexRun.Result.of(
        ChildJvm.run(
            JVM,
            IndexRun.class,
            work.resolve(folder).toString(),
            "" + blocks,
            "" + blockBytes,
            "" + replayed,
            "" + opens));
  }

  private void hashes() throws IOException {
    Compare.say("chain hashes");
    HashRun.Result hashes = HashRun.Result.of(ChildJvm.run(HashRun.class, "" + HASH_ROUNDS));
    goals.add(
        Goal.beside("G7", "chain hash of 64-token blocks, M/s", hashes.blocksPerSecond() / 1e6));
    if (hashes.python() == null) {
      goals.add(Goal.unmeasured("G7", "chain hash by Python's", Tool.PYTHON.missing()));
    } else {
      String by = "chain hash by %s in Python " + hashes.python();
      goals.add(Goal.atLeast("G7", by.formatted("vLLM's"), hashes.vllm(), 7));
      goals.add(Goal.atLeast("G7", by.formatted("SGLang's"), hashes.sglang(), 20));
    }
  }
}

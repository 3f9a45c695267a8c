package io.kvasir.benchmarks.jmh;

import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.benchmarks.common.Chains;
import io.kvasir.benchmarks.common.Scratch;
import io.kvasir.benchmarks.common.SparseStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What it costs to find a key in plugin-local, fingerprint and lease included. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 2, jvmArgsAppend = "-Xmx4g")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class LookupBenchmark {
  private static final int CHAINS = 256;

  @Param({"1000000", "10000000"})
  int blocks;

  private Path folder;
  private SparseStore sparse;
  private Store store;
  private NamespaceStore namespace;
  private List<BlockKeys> present;
  private List<BlockKeys> absent;
  private int next;

  @Setup
  public void prepare() throws IOException, StoreException {
    folder = Scratch.in(Path.of(System.getProperty("kvasir.benchmarks.directory")), "jmh-");
    Chains chains = new Chains(4096);
    sparse = new SparseStore(folder.resolve("store"), chains, blocks, 2);
    sparse.crash();
    store = sparse.open();
    namespace = store.open(chains.manifest());
    Random random = new Random(5);
    present = new ArrayList<>();
    absent = new ArrayList<>();
    for (int i = 0; i < CHAINS; i++) {
      present.add(sparse.chain(random.nextInt(sparse.chainCount())));
      absent.add(sparse.chain(sparse.chainCount() + i));
    }
  }

  @TearDown
  public void close() throws IOException, StoreException {
    namespace.close();
    store.close();
    Scratch.delete(folder);
  }

  @Benchmark
  @OperationsPerInvocation(SparseStore.CHAIN)
  public int present() throws StoreException {
    return prefix(present);
  }

  @Benchmark
  @OperationsPerInvocation(SparseStore.CHAIN)
  public int absent() throws StoreException {
    return prefix(absent);
  }

  private int prefix(List<BlockKeys> chains) throws StoreException {
    next = (next + 1) % CHAINS;
    try (BlockLease lease = namespace.lookup(chains.get(next), Deadline.never())) {
      return lease.prefix();
    }
  }
}

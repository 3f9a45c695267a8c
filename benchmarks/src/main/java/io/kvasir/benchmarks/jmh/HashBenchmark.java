package io.kvasir.benchmarks.jmh;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.benchmarks.common.Chains;
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
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** What a block's key costs: its hash in the chain, and its fingerprint. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class HashBenchmark {
  private static final int BLOCKS = 2000;

  /** The tokens of a prompt. */
  @State(Scope.Benchmark)
  public static class Prompt {
    @Param({"16", "64", "256"})
    int blockTokens;

    private Chains chains;
    private int[] tokens;

    @Setup
    public void prepare() {
      chains = new Chains(4096, blockTokens);
      tokens = chains.tokens(1, BLOCKS);
    }
  }

  /** The hashes of a chain. */
  @State(Scope.Benchmark)
  public static class Keys {
    private final BlockKeys keys = new Chains(4096).prompt(1, BLOCKS);
  }

  @Benchmark
  @OperationsPerInvocation(BLOCKS)
  public BlockKeys chainHash(Prompt prompt) {
    return prompt.chains.keys(prompt.tokens);
  }

  @Benchmark
  @OperationsPerInvocation(BLOCKS)
  public void fingerprint(Keys keys, Blackhole hole) {
    for (int i = 0; i < BLOCKS; i++) {
      hole.consume(keys.keys.fingerprint(i));
    }
  }
}

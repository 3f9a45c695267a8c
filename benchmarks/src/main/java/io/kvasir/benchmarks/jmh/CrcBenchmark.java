package io.kvasir.benchmarks.jmh;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The checksum of a block, from cache or from memory, and a copy for comparison. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class CrcBenchmark {
  private static final long MEMORY = 512 << 20;

  @Param({"65536", "2097152"})
  int blockBytes;

  private MemorySegment memory;
  private MemorySegment target;
  private long at;

  @Setup
  public void prepare() {
    memory = Arena.ofAuto().allocate(MEMORY, 4096).fill((byte) 7);
    target = Arena.ofAuto().allocate(blockBytes, 4096);
  }

  @Benchmark
  public long fromCache() {
    return crc(memory.asSlice(0, blockBytes).asByteBuffer());
  }

  @Benchmark
  public long fromMemory() {
    return crc(next().asByteBuffer());
  }

  @Benchmark
  public MemorySegment copyFromMemory() {
    return target.copyFrom(next());
  }

  private MemorySegment next() {
    MemorySegment block = memory.asSlice(at, blockBytes);
    at = (at + blockBytes) % MEMORY;
    return block;
  }

  private static long crc(ByteBuffer block) {
    CRC32C crc = new CRC32C();
    crc.update(block);
    return crc.getValue();
  }
}

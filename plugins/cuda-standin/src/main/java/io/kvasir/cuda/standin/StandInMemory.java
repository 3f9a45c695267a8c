package io.kvasir.cuda.standin;

import io.kvasir.api.Fence;
import io.kvasir.api.Region;
import io.kvasir.conformance.EngineMemory;
import java.util.Optional;

/** An engine's memory on the stand-in, for the rules of a transfer path. */
public final class StandInMemory implements EngineMemory {
  private final StandInGpu gpu;

  /** Memory of that device. */
  public StandInMemory(StandInGpu gpu) {
    this.gpu = gpu;
  }

  @Override
  public Region allocate(int bytes) {
    return gpu.allocate(bytes);
  }

  @Override
  public void write(Region region, int offset, byte[] bytes) {
    gpu.write(((Region.Device) region).address() + offset, bytes);
  }

  @Override
  public Fence written() {
    return Fence.event(gpu.record());
  }

  @Override
  public Optional<Fence> held() {
    gpu.hold(gpu.stream());
    return Optional.of(written());
  }

  @Override
  public void release() {
    gpu.release(gpu.stream());
  }

  @Override
  public void await(Fence.Event event) {
    gpu.await(gpu.stream(), event.handle());
  }

  @Override
  public byte[] read(Region region, int offset, int bytes) {
    return gpu.read(((Region.Device) region).address() + offset, bytes);
  }
}

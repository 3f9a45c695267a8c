package io.kvasir.cuda.standin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.api.Region;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.TransferPath;
import io.kvasir.conformance.EngineMemory;
import io.kvasir.conformance.TransferPathContract;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A store's own path to a GPU keeps the rules of a path, and leaves nothing: on the stand-in. */
public abstract class StorePathContract extends TransferPathContract {
  private final StandIn standIn = StandIn.load();

  /** The device that the path moves blocks to and from. */
  protected final StandInGpu gpu = new StandInGpu(standIn);

  private final StandInMemory memory = new StandInMemory(gpu);
  private Store store;

  /**
   * {@return a new store}
   *
   * @param directory an empty one, for what the store keeps
   * @throws StoreException if it does not open
   */
  protected abstract Store open(Path directory) throws StoreException;

  /** Opens the store. */
  @BeforeEach
  final void openStore(@TempDir Path directory) throws StoreException {
    store = open(directory);
  }

  /** Closes the store, and the engine. */
  @AfterEach
  final void nothingIsLeft() throws StoreException {
    store.close();
    gpu.close();
    assertEquals(StandIn.NOTHING, standIn.live());
  }

  /** {@return the store under test} */
  protected final Store store() {
    return store;
  }

  @Override
  protected TransferPath path() {
    return store.transferPaths().getFirst();
  }

  @Override
  protected EngineMemory memory() {
    return memory;
  }

  @Override
  protected Region foreign() {
    return Region.device("cuda:1", 4096, 4096);
  }
}

package io.kvasir.plugin.local;

import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.conformance.TestContext;
import io.kvasir.cuda.standin.StorePathContract;
import java.nio.file.Path;

/** The store's own path to a GPU keeps the rules of a path: on the driver stand-in. */
class GpuPathTest extends StorePathContract {
  @Override
  protected Store open(Path directory) throws StoreException {
    return new LocalProvider().open(new TestContext(Fixture.config(directory, 64 << 20)));
  }
}

package io.kvasir.conformance;

import io.kvasir.api.store.StoreContext;
import java.time.Duration;

/**
 * What a store is opened with in a test, in the core's place.
 *
 * @param configuration the backend's configuration
 * @param closeTimeout how long a close may take
 */
public record TestContext(Record configuration, Duration closeTimeout) implements StoreContext {
  /** A context whose stores close within five seconds. */
  public TestContext(Record configuration) {
    this(configuration, Duration.ofSeconds(5));
  }

  @Override
  public <C extends Record> C configuration(Class<C> type) {
    return type.cast(configuration);
  }

  @Override
  public System.Logger logger() {
    return System.getLogger("io.kvasir.conformance");
  }
}

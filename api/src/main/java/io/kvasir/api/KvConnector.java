package io.kvasir.api;

import io.kvasir.api.identity.ContentItem;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.store.StoreHealth;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * An engine's connection to a store of KV blocks. Thread-safe.
 *
 * <p>Every operation returns at once. Its result is delivered exactly once: to {@link
 * Transfer#await} or to {@link #poll}, also after a cancel. A store's failure is a {@link
 * BlockStatus}, never an exception; a caller's mistake throws at submit.
 */
public interface KvConnector extends AutoCloseable {
  /**
   * Begins a request in the namespace that is current now, and stays in it.
   *
   * @param tokens the prompt, tokens in 0 … 2³¹−1; copied
   * @param items images and other content with their places in the prompt
   * @throws KvasirException if the connector is closed or a token is out of range
   */
  KvRequest request(RequestScope scope, int[] tokens, List<ContentItem> items);

  /** {@return a request of text alone} */
  default KvRequest request(RequestScope scope, int... tokens) {
    return request(scope, tokens, List.of());
  }

  /**
   * Delivers the completions that are there to a consumer, on the caller's thread. Never blocks;
   * allocates nothing when there are none. What {@link Transfer#await} returned is not delivered
   * again.
   *
   * @return how many were delivered
   */
  int poll(Consumer<? super Completion> consumer);

  /** Sets a callback that runs when a completion arrives: it ends an idle wait and does no work. */
  void onWakeup(Runnable wakeup);

  /**
   * Begins a weight update: from here on nothing of the current namespace is served, loaded or
   * saved. Returns once the transfers in flight are drained or discarded, at the deadline at the
   * latest. A request that begins before the commit is in the old namespace.
   *
   * @throws KvasirException if another update is in progress or the connector is closed
   */
  WeightUpdate beginWeightUpdate(Deadline deadline);

  /** {@return the namespace of new requests} */
  NamespaceManifest namespace();

  /** {@return counts of what is in use now; all 0 when nothing runs} */
  Gauges gauges();

  /** {@return the store's health and the breaker's word on it} */
  StoreHealth health();

  /** {@return what the store counts, by the names that it documents; empty if it counts nothing} */
  default Map<String, Long> storeMetrics() {
    return Map.of();
  }

  /** Adds a listener for metrics. */
  void listen(MetricsListener listener);

  /**
   * Closes the connector within the configured deadline. Transfers in flight end {@code CLOSED}; a
   * last {@link #poll} still delivers them.
   */
  @Override
  void close();
}

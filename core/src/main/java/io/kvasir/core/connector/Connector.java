package io.kvasir.core.connector;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Completion;
import io.kvasir.api.Deadline;
import io.kvasir.api.Gauges;
import io.kvasir.api.KvConnector;
import io.kvasir.api.KvRequest;
import io.kvasir.api.KvasirException;
import io.kvasir.api.MetricsListener;
import io.kvasir.api.WeightUpdate;
import io.kvasir.api.identity.ContentItem;
import io.kvasir.api.identity.IdentityPolicy;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreHealth;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The connector over one open store. The store is the caller's: it is closed after the connector.
 *
 * <p>While a weight update is in progress, new requests begin in the old namespace, and all that
 * they ask for ends {@code MISMATCH}. A commit of the state in force changes no namespace, and what
 * began before it stays out all the same. Where the policy is not writable, a save ends at once
 * with a result of no parts.
 */
public final class Connector implements KvConnector {
  private static final Duration HEALTH_WAIT = Duration.ofSeconds(1);
  private static final Duration RECENTLY = Duration.ofMinutes(1);

  private final Machinery machinery;
  private final Epochs epochs;
  private final Store store;
  private final Set<Request> requests = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean renewing = new AtomicBoolean();

  private Connector(Machinery machinery, Store store) {
    this.machinery = machinery;
    this.store = store;
    this.epochs = new Epochs(machinery, store);
  }

  /**
   * {@return a connector of a deployment to a store}
   *
   * @param settings how it guards the store
   * @param store open, and closed by the caller after the connector
   * @param deployment what the engine computes with; nothing in it is unresolved
   * @param policy configured and probed
   * @param writable whether saves are made
   * @throws KvasirException if the store cannot open the namespace, or the settings leave too few
   *     frames or too short a queue; nothing stays open then
   */
  public static Connector open(
      ConnectorSettings settings,
      Store store,
      NamespaceManifest deployment,
      IdentityPolicy policy,
      boolean writable) {
    System.Logger log = System.getLogger("io.kvasir.core.connector");
    return open(settings, store, deployment, policy, writable, log);
  }

  static Connector open(
      ConnectorSettings settings,
      Store store,
      NamespaceManifest deployment,
      IdentityPolicy policy,
      boolean writable,
      System.Logger log) {
    Machinery machinery = new Machinery(settings, Layout.of(deployment), policy, writable, log);
    Connector connector = new Connector(machinery, store);
    boolean open = false;
    try {
      connector.start(deployment);
      open = true;
      return connector;
    } finally {
      if (!open) {
        connector.close();
      }
    }
  }

  /**
   * Says what {@link #open} would say of the settings, without a store: as far as they can be
   * judged by the size of a block.
   *
   * @throws KvasirException if they leave too few frames or too short a queue
   */
  public static void check(ConnectorSettings settings, NamespaceManifest deployment) {
    Layout layout = Layout.of(deployment);
    FramePool frames =
        new FramePool(FrameSource.HOST, layout, settings.frames().bytes(), _ -> {}, _ -> {});
    checkQueue(settings, layout, frames);
  }

  private static void checkQueue(ConnectorSettings settings, Layout layout, FramePool frames) {
    for (Part part : layout.parts()) {
      int batch = frames.batch(part.payloadBytes(), settings.batchBlocks());
      if (settings.queue().bytes() < batch * part.payloadBytes()) {
        throw new KvasirException(
            "connector.queue: %s is less than a batch of %d blocks of %d bytes; give at least %d, or lower connector.batch-blocks"
                .formatted(
                    settings.queue(), batch, part.payloadBytes(), batch * part.payloadBytes()));
      }
    }
  }

  private void start(NamespaceManifest deployment) {
    try {
      machinery.frames =
          new FramePool(
              store.frames(),
              machinery.layout,
              machinery.settings.frames().bytes(),
              machinery.loads::submit,
              t -> machinery.causes.say(BlockStatus.CAPACITY, "a piece of frames", t));
      machinery.paths = new Paths(store.transferPaths(), new Thread(() -> {}), machinery.log);
    } catch (KvasirException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new KvasirException("the store's frames or paths cannot be used: " + e.getMessage(), e);
    }
    checkQueue(machinery.settings, machinery.layout, machinery.frames);
    epochs.open(deployment);
    machinery.frames.warm();
    machinery.clock.every(BlockLease.LASTS.dividedBy(3), this::renewLeases);
  }

  /** Renews the leases of the open requests on a worker, one round at a time. */
  void renewLeases() {
    if (renewing.compareAndSet(false, true)) {
      boolean begun =
          machinery.loads.submit(
              () -> {
                try {
                  requests.forEach(r -> r.renew(machinery.settings.leaseLimit()));
                } finally {
                  renewing.set(false);
                }
              });
      renewing.compareAndSet(!begun, false);
    }
  }

  @Override
  public KvRequest request(RequestScope scope, int[] tokens, List<ContentItem> items) {
    Objects.requireNonNull(scope, "scope: null; give RequestScope.NONE or one with a salt");
    Objects.requireNonNull(tokens, "tokens: null; give the tokens of the prompt");
    Objects.requireNonNull(items, "items: null; give List.of() for text alone");
    Epoch epoch = epochs.enter();
    boolean begun = false;
    try {
      Request request = new Request(machinery, epoch, scope, tokens, items, this::closed);
      machinery.counters.requests.incrementAndGet();
      requests.add(request);
      begun = true;
      return request;
    } finally {
      if (!begun) {
        epoch.release();
      }
    }
  }

  private void closed(Request request) {
    requests.remove(request);
    machinery.counters.requests.decrementAndGet();
    request.epoch.release();
  }

  @Override
  public int poll(Consumer<? super Completion> consumer) {
    return machinery.mailbox.poll(consumer);
  }

  /** {@return the results in the queue to poll, taken ones included} */
  int waitingForPoll() {
    return machinery.mailbox.size();
  }

  @Override
  public void onWakeup(Runnable wakeup) {
    machinery.mailbox.onWakeup(wakeup);
  }

  @Override
  public WeightUpdate beginWeightUpdate(Deadline deadline) {
    return epochs.begin(deadline);
  }

  @Override
  public NamespaceManifest namespace() {
    return epochs.namespace();
  }

  @Override
  public Gauges gauges() {
    Counters now = machinery.counters;
    return new Gauges(
        now.requests.get(),
        now.transfers.get(),
        machinery.mailbox.untaken(),
        now.leases.get(),
        now.loads.bytes() + now.saves.bytes(),
        machinery.frames.lent(),
        machinery.frames.quarantined());
  }

  @Override
  public StoreHealth health() {
    Breaker breaker = machinery.breaker;
    if (breaker.isOpen()) {
      return new StoreHealth(
          StoreHealth.State.DOWN, "the breaker is open, nothing is asked: " + breaker.reason());
    }
    StoreHealth own = ask();
    if (own.state() == StoreHealth.State.UP && breaker.failedWithin(RECENTLY)) {
      return new StoreHealth(
          StoreHealth.State.DEGRADED, "a call failed within the last minute; " + own.detail());
    }
    return own;
  }

  @Override
  public Map<String, Long> storeMetrics() {
    try {
      return Map.copyOf(store.metrics());
    } catch (RuntimeException | LinkageError e) {
      machinery.causes.say(BlockStatus.IO, "the metrics of the store", e);
      return Map.of();
    }
  }

  private StoreHealth ask() {
    FutureTask<StoreHealth> asking = new FutureTask<>(store::health);
    if (!machinery.loads.submit(asking)) {
      return StoreHealth.down("the connector is closed");
    }
    try {
      StoreHealth health = asking.get(HEALTH_WAIT.toNanos(), TimeUnit.NANOSECONDS);
      return java.util.Objects.requireNonNullElseGet(
          health, () -> StoreHealth.down("the store says nothing"));
    } catch (ExecutionException e) {
      return StoreHealth.down("the store fails to say: " + e.getCause());
    } catch (TimeoutException e) {
      return StoreHealth.down("the store does not say within a second");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new StoreHealth(StoreHealth.State.DEGRADED, "interrupted before the store said");
    }
  }

  @Override
  public void listen(MetricsListener listener) {
    machinery.listeners.add(listener);
  }

  @Override
  public void close() {
    if (!epochs.close()) {
      return;
    }
    requests.forEach(request -> request.close(BlockStatus.CLOSED));
    Deadline deadline = Deadline.after(machinery.settings.closeTimeout());
    boolean ended = false;
    try {
      ended = epochs.awaitClosed(deadline);
      machinery.loads.shutdown();
      machinery.saves.shutdown();
      ended &= machinery.loads.awaitEnd(deadline);
      ended &= machinery.saves.awaitEnd(deadline);
      machinery.clock.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (machinery.frames != null) {
      machinery.frames.close();
    }
    if (!ended) {
      sayAbandoned();
    }
  }

  private void sayAbandoned() {
    List<String> calls = new ArrayList<>(machinery.loads.busy());
    calls.addAll(machinery.saves.busy());
    machinery.log.log(
        Level.WARNING,
        "closed after %s with calls that did not come back: %s; %d frames are freed when they do"
            .formatted(machinery.settings.closeTimeout(), calls, machinery.frames.quarantined()));
  }
}

package io.kvasir.conformance.wrap;

import io.kvasir.api.Deadline;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.Capabilities;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.NamespaceSummary;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;
import io.kvasir.api.store.StoreHealth;
import io.kvasir.api.store.StoreUsage;
import io.kvasir.conformance.wrap.ContractViolation.Side;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Checks every call's contract on both sides: what the caller gives, and what the store makes of
 * it. Who breaks it gets a {@link ContractViolation} at once, which says what and by whom. Safe for
 * several threads, as far as the store is.
 */
public final class CheckedStore extends ForwardingStore {
  private final Capabilities claims;

  /**
   * Stands before a store.
   *
   * @param claims what the store's descriptor claims
   */
  public CheckedStore(Store store, Capabilities claims) {
    super(store);
    this.claims = claims;
  }

  /** A call that may fail as the SPI says. */
  interface Call<T> {
    T run() throws StoreException;
  }

  /**
   * {@return what the call returned} Null and exceptions that no method declares are violations.
   */
  static <T> T call(String name, Call<T> call) throws StoreException {
    T result = run(name, call);
    if (result == null) {
      throw store(name + " returned null", null);
    }
    return result;
  }

  /** {@return what the call returned, null or not} */
  static <T> T run(String name, Call<T> call) throws StoreException {
    try {
      return call.run();
    } catch (StoreException e) {
      if (e.getMessage() == null || e.getMessage().isBlank()) {
        throw store(name + " failed (" + e.kind() + ") without a word", e);
      }
      throw e;
    } catch (RuntimeException e) {
      throw store(name + " threw what no method declares: " + e, e);
    }
  }

  static ContractViolation store(String what, Throwable cause) {
    return new ContractViolation(Side.STORE, what, cause);
  }

  static ContractViolation caller(String what) {
    return new ContractViolation(Side.CALLER, what, null);
  }

  @Override
  public NamespaceStore open(NamespaceManifest manifest) throws StoreException {
    if (manifest == null) {
      throw caller("open of no manifest");
    }
    NamespaceStore namespace = call("open", () -> store().open(manifest));
    return new CheckedNamespace(namespace, manifest, store().frames(), claims);
  }

  @Override
  public List<NamespaceSummary> namespaces() throws StoreException {
    List<NamespaceSummary> all =
        claimed("namespaces", claims.enumerate(), () -> store().namespaces());
    if (all.stream().map(NamespaceSummary::id).distinct().count() < all.size()) {
      throw store("a namespace is listed twice: " + all, null);
    }
    return all;
  }

  @Override
  public void remove(NamespaceId namespace, Deadline deadline) throws StoreException {
    if (namespace == null || deadline == null) {
      throw caller("remove of " + namespace + " with deadline " + deadline);
    }
    claimed(
        "remove",
        claims.scopedDelete(),
        () -> {
          store().remove(namespace, deadline);
          return true;
        });
  }

  @Override
  public StoreUsage usage() throws StoreException {
    StoreUsage usage = claimed("usage", claims.usage(), () -> store().usage());
    boolean sound =
        usage.blocks() >= 0
            && usage.leasedBlocks() >= 0
            && usage.leasedBlocks() <= usage.blocks()
            && usage.payloadBytes() >= 0
            && usage.payloadBytes() <= usage.occupiedBytes()
            && usage.occupiedBytes() <= usage.capacityBytes();
    if (!sound) {
      throw store("usage is impossible: " + usage, null);
    }
    return usage;
  }

  /** What is claimed must not say that it is unsupported, and what is not claimed must. */
  static <T> T claimed(String name, boolean claimed, Call<T> call) throws StoreException {
    T result;
    try {
      result = call(name, call);
    } catch (StoreException e) {
      if (claimed && e.kind() == Kind.UNSUPPORTED) {
        throw store(name + " is claimed, and unsupported", e);
      }
      throw e;
    }
    if (!claimed) {
      throw store(name + " works, and its capability is not claimed", null);
    }
    return result;
  }

  @Override
  public StoreHealth health() {
    StoreHealth health = undisturbed("health", () -> store().health());
    if (health.state() == null || health.detail() == null || health.detail().isBlank()) {
      throw store("health says nothing: " + health, null);
    }
    return health;
  }

  @Override
  public Map<String, Long> metrics() {
    Map<String, Long> metrics = undisturbed("metrics", () -> store().metrics());
    if (metrics.values().stream().anyMatch(Objects::isNull)) {
      throw store("a metric has no value: " + metrics, null);
    }
    return metrics;
  }

  private static <T> T undisturbed(String name, Call<T> call) {
    try {
      return call(name, call);
    } catch (StoreException e) {
      throw store(name + " threw", e);
    }
  }

  @Override
  public void close() throws StoreException {
    run(
        "close",
        () -> {
          store().close();
          return null;
        });
  }
}

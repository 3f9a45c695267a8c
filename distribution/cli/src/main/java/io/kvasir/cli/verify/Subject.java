package io.kvasir.cli.verify;

import io.kvasir.api.ByteSize;
import io.kvasir.api.KvasirException;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreContext;
import io.kvasir.api.store.StoreDescriptor;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreProvider;
import io.kvasir.api.store.StoreView;
import io.kvasir.conformance.wrap.CheckedStore;
import io.kvasir.conformance.wrap.ForwardingStore;
import io.kvasir.conformance.wrap.RecordingStore;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The backend as an operator configured it, with a store of its own for each test: a
 * configuration's {@code directory} is a fresh one, its {@code capacity} at most what the kit can
 * fill, and {@code ${name}} in its texts a name that no other test has.
 */
public final class Subject implements StoreProvider {
  /** What the kit fills ten times over in a few seconds. */
  private static final ByteSize MOST = new ByteSize(16L << 20);

  /** Enough for rounds of some MiB, and written in a second or two. */
  private static final ByteSize MOST_TO_MEASURE = new ByteSize(256L << 20);

  private static final ByteSize LEAST = new ByteSize(2L << 20);
  private static final String NAME = "${name}";
  private static final String DIRECTORY = "directory";
  private static final String CAPACITY = "capacity";
  private static final int CALLS = 200;

  private final StoreProvider provider;
  private final Map<String, Object> said;
  private final Function<Map<String, Object>, Record> binder;
  private final Witness witness;
  private final ByteSize capacity;
  private final Set<NamespaceId> opened = ConcurrentHashMap.newKeySet();

  /**
   * Takes a backend.
   *
   * @param said the store's object in the operator's file
   * @param binder makes the backend's configuration of such an object
   * @throws KvasirException if tests could see each other's blocks, or an operator's
   */
  Subject(
      StoreProvider provider,
      Map<String, Object> said,
      Function<Map<String, Object>, Record> binder,
      Witness witness) {
    this.provider = provider;
    this.said = Map.copyOf(said);
    this.binder = binder;
    this.witness = witness;
    this.capacity = capacity(MOST);
    String store = "store." + provider.descriptor().name();
    if (provider.descriptor().capabilities().persistent() && !has(DIRECTORY) && !named(said)) {
      throw new KvasirException(
          "%s: each test needs a store of its own, and this one is persistent; write %s where it takes a prefix, a database or a path, as in \"prefix\": \"verify-%s\""
              .formatted(store, NAME, NAME));
    }
    if (capacity.bytes() < LEAST.bytes()) {
      throw new KvasirException(
          "%s.capacity: %s are too few for the kit; write %s or more"
              .formatted(store, capacity, LEAST));
    }
  }

  private boolean has(String component) {
    return java.util.Arrays.stream(provider.descriptor().configuration().getRecordComponents())
        .anyMatch(c -> c.getName().equals(component));
  }

  private static boolean named(Object json) {
    return switch (json) {
      case String s -> s.contains(NAME);
      case Map<?, ?> map -> map.values().stream().anyMatch(Subject::named);
      case Iterable<?> all -> {
        boolean any = false;
        for (Object one : all) {
          any |= named(one);
        }
        yield any;
      }
      case null, default -> false;
    };
  }

  private ByteSize capacity(ByteSize most) {
    Object given = said.get(CAPACITY);
    if (!has(CAPACITY) || given == null) {
      return most;
    }
    ByteSize size = ByteSize.parse(given.toString());
    return size.bytes() < most.bytes() ? size : most;
  }

  /** {@return what the stores of the tests may occupy} */
  ByteSize room() {
    return capacity;
  }

  /** {@return what a store may occupy whose speed is measured} */
  ByteSize roomToMeasure() {
    return capacity(MOST_TO_MEASURE);
  }

  /** {@return the configuration of one test} */
  Record configuration(Path directory, String name) {
    return configuration(directory, name, capacity);
  }

  Record configuration(Path directory, String name, ByteSize room) {
    Map<String, Object> json = new LinkedHashMap<>();
    said.forEach((key, value) -> json.put(key, replaced(value, name)));
    if (has(DIRECTORY)) {
      json.put(DIRECTORY, directory.toString());
    }
    if (has(CAPACITY)) {
      json.put(CAPACITY, Long.toString(room.bytes()));
    }
    return binder.apply(json);
  }

  private static Object replaced(Object json, String name) {
    return switch (json) {
      case String s -> s.replace(NAME, name);
      case Map<?, ?> map -> {
        Map<Object, Object> out = new LinkedHashMap<>();
        map.forEach((key, value) -> out.put(key, replaced(value, name)));
        yield out;
      }
      case java.util.List<?> all -> all.stream().map(one -> replaced(one, name)).toList();
      case null, default -> json;
    };
  }

  @Override
  public StoreDescriptor descriptor() {
    return provider.descriptor();
  }

  @Override
  public Store open(StoreContext context) throws StoreException {
    RecordingStore recording = new RecordingStore(inItsLoader(() -> provider.open(context)), CALLS);
    Store patient = new PatientStore(recording, witness);
    return new CheckedStore(new Watched(patient, recording), provider.descriptor().capabilities());
  }

  /** {@return a store with nothing before it but the note of what was opened} */
  Store openBare(StoreContext context) throws StoreException {
    return new Noted(inItsLoader(() -> provider.open(context)));
  }

  @Override
  public StoreView inspect(StoreContext context) throws StoreException {
    return inItsLoader(() -> provider.inspect(context));
  }

  private interface Opening<S> {
    S open() throws StoreException;
  }

  /** Libraries look for their own providers in the context's class loader, as under the core. */
  private <S> S inItsLoader(Opening<S> opening) throws StoreException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(provider.getClass().getClassLoader());
    try {
      return opening.open();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /**
   * Removes what a test left in a store that has no directory.
   *
   * @return how many namespaces could not be removed
   */
  int clean(StoreContext context) {
    Set<NamespaceId> left = Set.copyOf(opened);
    opened.clear();
    if (left.isEmpty() || has(DIRECTORY) || !descriptor().capabilities().persistent()) {
      return 0;
    }
    if (!descriptor().capabilities().scopedDelete()) {
      return left.size();
    }
    int failed = 0;
    try (Store store = inItsLoader(() -> provider.open(context))) {
      for (NamespaceId id : left) {
        store.remove(id, io.kvasir.api.Deadline.after(java.time.Duration.ofSeconds(10)));
      }
    } catch (StoreException e) {
      failed = left.size();
    }
    return failed;
  }

  /** Remembers which namespaces are to be removed. */
  private class Noted extends ForwardingStore {
    Noted(Store store) {
      super(store);
    }

    @Override
    public NamespaceStore open(NamespaceManifest manifest) throws StoreException {
      opened.add(manifest.id());
      return super.open(manifest);
    }
  }

  /** Hands over what was recorded when the store is closed. */
  private final class Watched extends Noted {
    private final RecordingStore recording;
    private final long troubles = witness.troubles();
    private boolean closed;

    Watched(Store store, RecordingStore recording) {
      super(store);
      this.recording = recording;
    }

    @Override
    public void close() throws StoreException {
      synchronized (this) {
        if (!closed) {
          closed = true;
          if (witness.troubles() > troubles) {
            witness.health(health().state() + ", " + health().detail());
          }
          witness.add(recording);
        }
      }
      super.close();
    }
  }
}

package io.kvasir.plugin.local;

import static io.kvasir.plugin.local.NamespaceFiles.CONFIGURATION;
import static io.kvasir.plugin.local.NamespaceFiles.MANIFEST;
import static io.kvasir.plugin.local.NamespaceFiles.RECORD;
import static io.kvasir.plugin.local.NamespaceFiles.name;

import io.kvasir.api.ByteSize;
import io.kvasir.api.identity.CanonicalJson;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.StoreException;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The namespaces of an open store, and how their files come and go. */
final class Namespaces implements Fingerprints {
  private static final long MOST_KEPT = 1200L * 4 * Layout.PAGE;
  private static final int KEPT_SHARE = 32;

  private final Directory directory;
  private final NamespaceFiles files;
  private final Budget budget;
  private final Map<Bits128, NamespaceId> ids = new ConcurrentHashMap<>();
  private final AtomicLong bytes = new AtomicLong();

  Namespaces(Directory directory, Budget budget) throws IOException {
    this.directory = directory;
    this.files = new NamespaceFiles(directory);
    this.budget = budget;
    for (NamespaceId id : files.all()) {
      ids.put(half(id), id);
      bytes.addAndGet(files.bytes(id));
    }
    budget.count(bytes.get());
  }

  /**
   * What the slabs leave for namespaces that come: one comes with each update of the weights, and a
   * full store must take it.
   */
  long kept() {
    return Math.max(0, Math.min(MOST_KEPT, budget.capacity() / KEPT_SHARE) - bytes.get());
  }

  /** What the files of some take. */
  long bytes(List<NamespaceId> some) throws IOException {
    long sum = 0;
    for (NamespaceId id : some) {
      sum += files.bytes(id);
    }
    return sum;
  }

  static Bits128 half(NamespaceId id) {
    return Bits128.of(id.bytes());
  }

  /** The directory, for messages. */
  String where() {
    return directory.describe("");
  }

  NamespaceFiles files() {
    return files;
  }

  List<NamespaceId> all() {
    return ids.values().stream().sorted().toList();
  }

  boolean contains(NamespaceId id) {
    return id.equals(ids.get(half(id)));
  }

  /**
   * Writes the manifest of a new namespace, or compares the bytes of the one that is there. False
   * if there is no room for it.
   */
  synchronized boolean open(NamespaceManifest manifest) throws IOException {
    NamespaceId id = manifest.id();
    NamespaceId other = ids.get(half(id));
    if (other != null && !other.equals(id)) {
      throw new FormatError(
          "namespace %s: the store holds namespace %s, whose first 16 bytes are the same, and blocks are told apart by these; configure another directory for one of them; nothing has been changed"
              .formatted(id.hex(), other.hex()));
    }
    if (other != null) {
      check(manifest);
    } else if (!create(manifest)) {
      return false;
    }
    try {
      directory.publish(name(id, RECORD), files.record(id).opened(manifest.labels()).bytes());
      Optional<NamespaceId> previous = manifest.supersedes().filter(this::contains);
      if (previous.isPresent()) {
        directory.publish(
            name(previous.get(), RECORD), files.record(previous.get()).supersededBy(id).bytes());
      }
    } catch (IOException e) {
      if (other == null || !Failures.isFull(e)) {
        throw e;
      } // what a record says is not identity: a full disk stays readable
    }
    return true;
  }

  /**
   * The manifest comes last: without it the namespace is not there. It is durable before the first
   * block can be. False if there is no room for it.
   */
  private boolean create(NamespaceManifest manifest) throws IOException {
    NamespaceId id = manifest.id();
    long more = NamespaceFiles.bytes(manifest);
    if (!budget.reserveLittle(more)) {
      return false;
    }
    try {
      Optional<Map<String, Object>> tree = manifest.format().config().tree();
      if (tree.isPresent()) {
        directory.publish(name(id, CONFIGURATION), CanonicalJson.bytes(tree.get()));
      }
      directory.publish(name(id, RECORD), NamespaceRecord.fresh().bytes());
      directory.publish(name(id, MANIFEST), manifest.canonical());
    } catch (IOException e) {
      budget.release(more);
      throw e;
    }
    ids.put(half(id), id);
    bytes.addAndGet(more);
    return true;
  }

  static StoreException noRoom(Directory directory, long more, long capacity) {
    return new StoreException(
        StoreException.Kind.CAPACITY,
        "store %s: no room for the %d bytes of another namespace in its %s; raise the capacity, or remove namespaces"
            .formatted(directory.describe(""), more, new ByteSize(capacity)));
  }

  private void check(NamespaceManifest manifest) throws IOException {
    byte[] stored = files.manifest(manifest.id());
    if (!Arrays.equals(stored, manifest.canonical())) {
      throw new FormatError(
          "manifest %s: its %d bytes have the SHA-256 %s and not that of its name, so it is corrupt or another namespace's; restore the file, or move it out of the directory and the namespace starts afresh; nothing has been changed"
              .formatted(
                  directory.describe(name(manifest.id(), MANIFEST)),
                  stored.length,
                  HexFormat.of().formatHex(sha256().digest(stored))));
    }
  }

  /** Writes down when the namespace was used last. */
  synchronized void used(NamespaceId id) throws IOException {
    if (contains(id)) {
      directory.publish(name(id, RECORD), files.record(id).usedNow().bytes());
    }
  }

  /** Removes a namespace whose blocks have been ended; the manifest goes first. */
  synchronized void remove(NamespaceId id) throws IOException {
    long fewer = files.bytes(id);
    for (String suffix : List.of(MANIFEST, CONFIGURATION, RECORD)) {
      directory.delete(name(id, suffix));
    }
    directory.force();
    if (ids.remove(half(id), id)) {
      budget.release(fewer);
      bytes.addAndGet(-fewer);
    }
  }

  /** As {@code BlockKeys.fingerprint}, from what a record holds. */
  @Override
  public Bits128 of(Key key) {
    NamespaceId id = ids.get(key.namespace());
    return id == null ? null : fingerprint(id, key);
  }

  static Bits128 fingerprint(NamespaceId id, Key key) {
    return new Fingerprinter(id, key.group(), key.shard()).of(key);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}

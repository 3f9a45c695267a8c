package io.kvasir.plugin.local;

import io.kvasir.api.identity.CanonicalJson;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The namespaces of a store: each has its manifest in a file of its own, the canonical bytes and
 * nothing else, named by the id; beside it the model configuration whose digest is in it, and a
 * small record that is not identity.
 */
final class Namespaces implements Fingerprints {
  private static final String PREFIX = "ns-";
  private static final String MANIFEST = ".json";
  private static final String CONFIGURATION = ".config.json";
  private static final String RECORD = ".record";
  private static final int HEX = 64;

  private final Directory directory;
  private final Budget budget;
  private final Map<Bits128, NamespaceId> ids = new ConcurrentHashMap<>();

  Namespaces(Directory directory, Budget budget) throws IOException {
    this.directory = directory;
    this.budget = budget;
    for (String name : directory.names()) {
      if (name.matches("ns-[0-9a-f]{64}\\.json")) {
        NamespaceId id = NamespaceId.parse(name.substring(PREFIX.length(), PREFIX.length() + HEX));
        ids.put(half(id), id);
        budget.count(fileBytes(id));
      }
    }
  }

  static Bits128 half(NamespaceId id) {
    return Bits128.of(id.bytes());
  }

  List<NamespaceId> all() {
    return ids.values().stream().sorted().toList();
  }

  boolean contains(NamespaceId id) {
    return id.equals(ids.get(half(id)));
  }

  /** Writes the manifest of a new namespace, or compares the bytes of the one that is there. */
  synchronized void open(NamespaceManifest manifest) throws IOException {
    NamespaceId id = manifest.id();
    NamespaceId other = ids.get(half(id));
    if (other != null && !other.equals(id)) {
      throw new FormatError(
          "namespace %s: the store holds namespace %s, whose first 16 bytes are the same, and blocks are told apart by these; configure another directory for one of them; nothing has been changed"
              .formatted(id.hex(), other.hex()));
    }
    if (other == null) {
      create(manifest);
    } else {
      check(manifest);
    }
    try {
      directory.publish(name(id, RECORD), record(id).opened(manifest.labels()).bytes());
    } catch (IOException e) {
      if (other == null || !Failures.isFull(e)) {
        throw e;
      } // when it was last opened is not identity: a full disk stays readable
    }
    if (manifest.supersedes().isPresent() && contains(manifest.supersedes().get())) {
      NamespaceId previous = manifest.supersedes().get();
      directory.publish(name(previous, RECORD), record(previous).supersededBy(id).bytes());
    }
  }

  /**
   * The manifest comes last: without it the namespace is not there. It is durable before the first
   * block can be.
   */
  private void create(NamespaceManifest manifest) throws IOException {
    NamespaceId id = manifest.id();
    Optional<Map<String, Object>> tree = manifest.format().config().tree();
    if (tree.isPresent()) {
      directory.publish(name(id, CONFIGURATION), CanonicalJson.bytes(tree.get()));
    }
    directory.publish(name(id, RECORD), NamespaceRecord.fresh().bytes());
    directory.publish(name(id, MANIFEST), manifest.canonical());
    ids.put(half(id), id);
    budget.count(fileBytes(id));
  }

  private void check(NamespaceManifest manifest) throws IOException {
    byte[] stored = directory.read(name(manifest.id(), MANIFEST));
    if (!Arrays.equals(stored, manifest.canonical())) {
      throw new FormatError(
          "manifest %s: its %d bytes have the SHA-256 %s and not that of its name, so it is corrupt or another namespace's; restore the file, or move it out of the directory and the namespace starts afresh; nothing has been changed"
              .formatted(
                  directory.describe(name(manifest.id(), MANIFEST)),
                  stored.length,
                  HexFormat.of().formatHex(sha256().digest(stored))));
    }
  }

  /** The stored bytes of a manifest. */
  byte[] manifest(NamespaceId id) throws IOException {
    return directory.read(name(id, MANIFEST));
  }

  Optional<byte[]> configuration(NamespaceId id) throws IOException {
    String name = name(id, CONFIGURATION);
    return directory.names().contains(name) ? Optional.of(directory.read(name)) : Optional.empty();
  }

  NamespaceRecord record(NamespaceId id) throws IOException {
    String name = name(id, RECORD);
    return directory.names().contains(name)
        ? NamespaceRecord.parse(directory.read(name))
        : NamespaceRecord.fresh();
  }

  /** Writes down when the namespace was used last. */
  synchronized void used(NamespaceId id) throws IOException {
    if (contains(id)) {
      directory.publish(name(id, RECORD), record(id).usedNow().bytes());
    }
  }

  /** Removes a namespace whose blocks have been ended; the manifest goes first. */
  synchronized void remove(NamespaceId id) throws IOException {
    long bytes = fileBytes(id);
    for (String suffix : List.of(MANIFEST, CONFIGURATION, RECORD)) {
      directory.delete(name(id, suffix));
    }
    directory.force();
    if (ids.remove(half(id), id)) {
      budget.release(bytes);
    }
  }

  /** An upper bound of the blocks that manifest, configuration and record take. */
  private long fileBytes(NamespaceId id) throws IOException {
    long configuration = configuration(id).map(bytes -> bytes.length).orElse(0);
    return Layout.roundUp(manifest(id).length, Layout.PAGE)
        + Layout.roundUp(configuration, Layout.PAGE)
        + Layout.PAGE;
  }

  private static String name(NamespaceId id, String suffix) {
    return PREFIX + id.hex() + suffix;
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

package io.kvasir.plugin.local;

import io.kvasir.api.identity.CanonicalJson;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.NamespaceSummary;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The files of namespaces: the manifest, the canonical bytes and nothing else, named by the id;
 * beside it the model configuration whose digest is in it, and a small record that is not identity.
 */
record NamespaceFiles(Directory directory) {
  static final String MANIFEST = ".json";
  static final String CONFIGURATION = ".config.json";
  static final String RECORD = ".record";
  private static final String PREFIX = "ns-";
  private static final int HEX = 64;

  static String name(NamespaceId id, String suffix) {
    return PREFIX + id.hex() + suffix;
  }

  /** Every namespace has a manifest; what has none is not there. */
  List<NamespaceId> all() throws IOException {
    return directory.names().stream()
        .filter(name -> name.matches("ns-[0-9a-f]{64}\\.json"))
        .map(name -> NamespaceId.parse(name.substring(PREFIX.length(), PREFIX.length() + HEX)))
        .toList();
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

  NamespaceSummary summary(NamespaceId id, long blocks, long bytes) throws IOException {
    NamespaceRecord record = record(id);
    return new NamespaceSummary(
        id,
        manifest(id),
        configuration(id),
        record.labels(),
        blocks,
        bytes,
        record.created(),
        record.lastUsed(),
        record.supersededBy());
  }

  /** A bound of what the files of a namespace and their names take. */
  long bytes(NamespaceId id) throws IOException {
    long configuration = configuration(id).map(bytes -> bytes.length).orElse(0);
    return bytes(manifest(id).length, configuration);
  }

  /** The same, before it is there. */
  static long bytes(NamespaceManifest manifest) {
    long configuration =
        manifest.format().config().tree().map(tree -> CanonicalJson.bytes(tree).length).orElse(0);
    return bytes(manifest.canonical().length, configuration);
  }

  private static long bytes(long manifest, long configuration) {
    return Layout.roundUp(manifest, Layout.PAGE)
        + Layout.roundUp(configuration, Layout.PAGE)
        + 2 * Layout.PAGE; // the record, and three names in the directory
  }
}

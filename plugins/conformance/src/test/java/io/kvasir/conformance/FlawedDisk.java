package io.kvasir.conformance;

import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a restart of a {@link FlawedStore} keeps, and the flaws of opening it. */
final class FlawedDisk {
  private static final int TENANTS = 10;

  /** A block; its bytes change only by a flaw or by damage. */
  static final class Entry {
    final byte[] bytes;
    final int crc;
    final String parent;
    int leases;

    Entry(byte[] bytes, int crc, String parent) {
      this.bytes = bytes;
      this.crc = crc;
      this.parent = parent;
    }
  }

  static final class Named {
    final byte[] manifest;
    final NamespaceManifest first;
    final Instant created = Instant.now();
    Map<String, String> labels;
    NamespaceId supersededBy;
    boolean removed;
    int size = Integer.MAX_VALUE;

    Named(NamespaceManifest manifest) {
      this.manifest = manifest.canonical();
      this.first = manifest;
      this.labels = manifest.labels();
    }
  }

  final LinkedHashMap<String, Entry> entries = new LinkedHashMap<>();
  final Map<NamespaceId, Named> namespaces = new LinkedHashMap<>();
  final Map<String, Entry> trash = new HashMap<>();
  private int openings;

  /** {@return what a crash leaves} */
  FlawedDisk crashed(Flaw flaw) {
    FlawedDisk left = new FlawedDisk();
    if (flaw != Flaw.WRITES_AT_CLOSE) {
      namespaces.forEach((id, named) -> left.namespaces.put(id, new Named(named.first)));
      entries.forEach((key, e) -> left.entries.put(key, new Entry(e.bytes, e.crc, e.parent)));
    }
    return left;
  }

  void opened(Flaw flaw, Path directory) {
    openings++;
    if (flaw == Flaw.REMOVED_COMES_BACK) {
      entries.putAll(trash);
    }
    if (flaw == Flaw.SECOND_OPENING_EMPTIES && openings > 1) {
      entries.clear();
    }
    if (flaw == Flaw.FORGETS_LABELS) {
      namespaces.values().forEach(named -> named.labels = Map.of());
    }
    if (flaw == Flaw.FILES_FOR_EVERYBODY) {
      write(directory.resolve("blocks"));
    }
  }

  void closed() {
    openings--;
  }

  void used(Flaw flaw, Path directory, NamespaceManifest manifest) {
    if (flaw == Flaw.FOLLOWS_DOTS && manifest.tenant().startsWith("../")) {
      write(directory.resolve(manifest.tenant()));
    }
    if (flaw == Flaw.FORGETS_OLD_TENANTS && namespaces.size() > TENANTS) {
      String oldest = List.copyOf(namespaces.keySet()).getFirst().hex();
      entries.keySet().removeIf(key -> key.startsWith(oldest));
    }
  }

  private static void write(Path file) {
    try {
      Files.writeString(file, "blocks");
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

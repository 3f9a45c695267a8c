package io.kvasir.plugin.mooncake;

import io.kvasir.api.Deadline;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * The manifests of namespaces: each once, under {@code kv1:<namespace>:manifest}, softly pinned. It
 * proves itself, so what is there is compared and never changed; what Mooncake has evicted is put
 * again.
 */
final class KeptManifests {
  private static final int FORCE = 1;

  private final Cluster cluster;
  private final long softPin;

  /**
   * @param softPin how manifests are kept, as the library reads it
   */
  KeptManifests(Cluster cluster, long softPin) {
    this.cluster = cluster;
    this.softPin = softPin;
  }

  static String key(NamespaceId id) {
    return Naming.namespacePrefix(id) + "manifest";
  }

  /**
   * Puts the manifest if it is not there, and compares what is there.
   *
   * @return whether it is there; false where there is no room for it, or somebody is writing it and
   *     does not end
   * @throws StoreException {@code MISMATCH} if what is there is another one or corrupt
   */
  boolean keep(NamespaceManifest manifest, Deadline deadline) throws StoreException {
    byte[] wanted = manifest.canonical();
    String what = "the manifest of " + manifest;
    for (int tried = 0; tried <= Cluster.RETRIES; tried++) {
      if (tried > 1) {
        cluster.pause(what, deadline);
      }
      byte[] stored = new byte[wanted.length];
      long size = get(manifest.id(), stored, what, deadline);
      if (size >= 0) {
        compare(manifest, size, stored);
        return true;
      }
      long code = Codes.isMiss(size) ? put(manifest.id(), wanted, what, deadline) : size;
      if (code != Codes.OK && !Codes.isPressure(code) && !Codes.isQuota(code)) {
        throw Codes.failure(what, code);
      }
    }
    return false;
  }

  private static void compare(NamespaceManifest manifest, long size, byte[] stored)
      throws StoreException {
    byte[] wanted = manifest.canonical();
    if (size != wanted.length || !Arrays.equals(stored, wanted)) {
      throw new StoreException(
          Kind.MISMATCH,
          "%s: the %d bytes under \"%s\" are not its manifest: corrupt, or another namespace's whose first 16 bytes are the same; remove the namespace (kvasir rm %s), and it starts afresh; nothing has been changed"
              .formatted(manifest, size, key(manifest.id()), manifest.id().hex()));
    }
  }

  /** Reads the value, whatever its size. {@return its size, or a code} */
  private long get(NamespaceId id, byte[] into, String what, Deadline deadline)
      throws StoreException {
    byte[] read = new byte[into.length];
    long code =
        cluster
            .call(what, deadline, null, (handle, _) -> new long[] {get(handle, key(id), read)})[0];
    System.arraycopy(read, 0, into, 0, read.length);
    return code;
  }

  private long get(long handle, String key, byte[] into) {
    Abi abi = cluster.abi();
    try (Arena arena = Arena.ofConfined()) {
      long name = Texts.utf8(arena, key).address();
      long size = abi.getSize(handle, name);
      if (size != into.length) {
        return size;
      }
      MemorySegment value = arena.allocate(size);
      abi.registerBuffer(handle, value.address(), size);
      try {
        long code = abi.getInto(handle, name, value.address(), size);
        if (code == size) {
          MemorySegment.copy(value, ValueLayout.JAVA_BYTE, 0, into, 0, into.length);
        }
        return code;
      } finally {
        abi.unregisterBuffer(handle, value.address());
      }
    }
  }

  private long put(NamespaceId id, byte[] bytes, String what, Deadline deadline)
      throws StoreException {
    Abi abi = cluster.abi();
    return cluster
        .call(
            what,
            deadline,
            null,
            (handle, _) -> {
              try (Arena arena = Arena.ofConfined()) {
                MemorySegment value =
                    arena.allocate(bytes.length).copyFrom(MemorySegment.ofArray(bytes));
                long name = Texts.utf8(arena, key(id)).address();
                abi.registerBuffer(handle, value.address(), bytes.length);
                try {
                  return new long[] {
                    abi.putFrom(handle, name, value.address(), bytes.length, softPin)
                  };
                } finally {
                  abi.unregisterBuffer(handle, value.address());
                }
              }
            })[0];
  }

  /**
   * Removes everything of a namespace: the master walks all its keys for that, so it is maintenance
   * and no part of a request. The pattern is anchored; a search would find it in other keys too.
   */
  void removeAll(NamespaceId id, Deadline deadline) throws StoreException {
    String what = "the removal of namespace " + id.prefix();
    long code =
        cluster
            .call(
                what,
                deadline,
                null,
                (handle, _) -> {
                  try (Arena arena = Arena.ofConfined()) {
                    long pattern = Texts.utf8(arena, pattern(id)).address();
                    return new long[] {cluster.abi().removeByRegex(handle, pattern, FORCE)};
                  }
                })[0];
    if (code < 0) {
      throw Codes.failure(what, code);
    }
  }

  /** {@return the ECMAScript pattern of all keys of a namespace and of no other} */
  static String pattern(NamespaceId id) {
    StringBuilder pattern = new StringBuilder("^");
    for (char c : Naming.namespacePrefix(id).toCharArray()) {
      if ("\\^$.|?*+()[]{}".indexOf(c) >= 0) {
        pattern.append('\\');
      }
      pattern.append(c);
    }
    return pattern.toString();
  }
}

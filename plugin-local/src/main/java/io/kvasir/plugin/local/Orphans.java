package io.kvasir.plugin.local;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Watches a recovery ask for fingerprints, and remembers the blocks whose namespace has no
 * manifest: without its whole id they cannot be found again, and the recovery ends them.
 */
final class Orphans implements Fingerprints {
  private final Fingerprints namespaces;
  private final Map<Bits128, Set<Key>> ended = new HashMap<>();

  Orphans(Fingerprints namespaces) {
    this.namespaces = namespaces;
  }

  @Override
  public Bits128 of(Key key) {
    Bits128 print = namespaces.of(key);
    if (print == null) {
      ended.computeIfAbsent(key.namespace(), _ -> new HashSet<>()).add(key);
    }
    return print;
  }

  /** Says whose blocks were ended; removed and evicted ones may be among them. */
  void warn(System.Logger log, String slab) {
    ended.forEach(
        (namespace, keys) ->
            log.log(
                System.Logger.Level.WARNING,
                "slab file {0}: ended {1} blocks of the namespace {2}, which has no manifest: the"
                    + " file ns-{2}….json was moved away or lost, and a namespace of that id starts"
                    + " afresh; to remove one, use \"kvasir rm\"",
                slab,
                Integer.toString(keys.size()),
                namespace.hex()));
  }
}

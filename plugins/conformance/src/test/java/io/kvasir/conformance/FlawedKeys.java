package io.kvasir.conformance;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.Weights;
import java.util.HexFormat;
import java.util.Locale;

/** The flaws that lie in a key: what it leaves out, folds or cuts. */
final class FlawedKeys {
  private static final int NAME = 255;

  private FlawedKeys() {}

  /** {@return the key of a hash, or null if there is no hash} */
  static String key(Flaw flaw, BlockKeys keys, byte[] hash) {
    if (hash == null) {
      return null;
    }
    return "%s g%d s%d %s"
        .formatted(
            namespace(flaw, keys.namespace()),
            keys.group(),
            flaw == Flaw.IGNORES_SHARD ? 0 : keys.shard(),
            HexFormat.of().formatHex(hash, 0, flaw == Flaw.CUTS_HASHES ? 16 : hash.length));
  }

  private static String namespace(Flaw flaw, NamespaceManifest of) {
    return switch (flaw) {
      case IGNORES_NAMESPACE -> "";
      case ONE_NAMESPACE_PER_TENANT -> of.tenant().substring(0, 1);
      case FOLDS_CASE -> of.tenant().toLowerCase(Locale.ROOT).strip() + of.weights().hexId();
      case CUTS_LONG_NAMES -> cut(of.tenant()) + cut(of.weights().json().toString());
      case WEIGHTS_BY_UPDATE_NAME ->
          of.weights() instanceof Weights.FullUpdate full ? full.update() : of.weights().hexId();
      default -> of.id().hex();
    };
  }

  private static String cut(String name) {
    return name.substring(0, Math.min(NAME, name.length()));
  }
}

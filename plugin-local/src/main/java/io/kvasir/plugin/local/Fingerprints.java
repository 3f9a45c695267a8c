package io.kvasir.plugin.local;

/** From the full key, as records and trailers hold it, to the fingerprint that the index knows. */
interface Fingerprints {

  /** Null where the store has no manifest for the key's namespace: such a block is unreachable. */
  Bits128 of(Key key);
}

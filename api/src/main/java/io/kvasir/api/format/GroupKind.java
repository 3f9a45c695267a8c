package io.kvasir.api.format;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What a group of layers keeps per token, or per sequence. */
public enum GroupKind {
  /** Every token's K and V. */
  FULL,
  /** The last {@code window} tokens. */
  SLIDING,
  /** The tokens of the current chunk of {@code window}. */
  CHUNKED,
  /** Multi-head latent attention: one KV head of latent and rope part, {@code v_dim} 0. */
  MLA,
  /** The state of a linear-attention or Mamba layer: fixed bytes per checkpoint. */
  STATE,
  /** One entry for {@code ratio} tokens. */
  COMPRESSED,
  /** Keys of a sparse-attention indexer. */
  INDEX,
  /** Layers of a draft model. */
  DRAFT;

  /** {@return the name in a manifest} */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** {@return the kind with this name in a manifest} */
  public static Optional<GroupKind> named(String wireName) {
    return Arrays.stream(values()).filter(k -> k.wireName().equals(wireName)).findFirst();
  }
}

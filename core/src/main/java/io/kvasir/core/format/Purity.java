package io.kvasir.core.format;

import java.util.Map;

/**
 * Refuses models whose K and V are not a function of the tokens up to them: a block of such a model
 * would be right under no name.
 *
 * <p>A class's {@code bidirectional} lists values by which only the tokens of one image see each
 * other: its digest and span are in the block of its first token, so blocks stay pure.
 */
final class Purity {
  private static final String BIDIRECTIONAL = "bidirectional";
  private static final Map<String, String> FLAGS =
      Map.of(
          "is_encoder_decoder",
          "an encoder–decoder",
          "is_prefix_lm",
          "a prefix-LM",
          "prefix_lm",
          "a prefix-LM",
          "use_bidirectional_attention",
          BIDIRECTIONAL,
          "use_bidirectional",
          BIDIRECTIONAL,
          BIDIRECTIONAL,
          BIDIRECTIONAL,
          "add_cross_attention",
          "a cross-attending model");
  private static final String BECAUSE =
      "%s %s: its K and V depend on more than the tokens before them, so no block of it can be"
          + " shared";

  private Purity() {}

  /** Refuses a model type that is no causal decoder. */
  static void checkType(Fields config) {
    Object type = config.get("model_type");
    if (type instanceof String s && Tables.of(Tables.IMPURE).get(s) instanceof String kind) {
      throw config.error("model_type", BECAUSE, "\"" + s + "\" is", kind);
    }
  }

  /** Refuses fields that make a causal decoder something else. */
  static void check(Fields config, ModelClass model) {
    FLAGS.forEach(
        (name, kind) -> {
          Object value = config.get(name);
          boolean images =
              value instanceof String
                  && kind.equals(BIDIRECTIONAL)
                  && model.names(BIDIRECTIONAL).contains(value);
          if (value != null && !value.equals(false) && !images) {
            throw config.error(name, BECAUSE, Fields.show(value) + " makes the model", kind);
          }
        });
    if (Boolean.FALSE.equals(config.get("is_causal"))) {
      throw config.error("is_causal", BECAUSE, "false makes the model", BIDIRECTIONAL);
    }
  }
}

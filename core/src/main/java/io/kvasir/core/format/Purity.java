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
  private static final Map<String, String> FLAGS =
      Map.of(
          "is_encoder_decoder", "an encoder–decoder",
          "is_prefix_lm", "a prefix-LM",
          "prefix_lm", "a prefix-LM",
          "use_bidirectional_attention", "bidirectional",
          "use_bidirectional", "bidirectional",
          "bidirectional", "bidirectional",
          "add_cross_attention", "a cross-attending model");

  private Purity() {}

  /** Refuses a model type that is no causal decoder. */
  static void checkType(Fields config) {
    Object type = config.get("model_type");
    if (type instanceof String s && Tables.of(Tables.IMPURE).get(s) instanceof String kind) {
      throw config.error("model_type", "\"" + s + "\" is " + because(kind));
    }
  }

  /** Refuses fields that make a causal decoder something else. */
  static void check(Fields config, ModelClass model) {
    FLAGS.forEach(
        (name, kind) -> {
          Object value = config.get(name);
          boolean images =
              kind.equals("bidirectional")
                  && value instanceof String
                  && model.names("bidirectional").contains(value);
          if (value != null && !value.equals(false) && !images) {
            throw config.error(name, Fields.show(value) + " makes the model " + because(kind));
          }
        });
    if (Boolean.FALSE.equals(config.get("is_causal"))) {
      throw config.error("is_causal", "false makes the model " + because("bidirectional"));
    }
  }

  private static String because(String kind) {
    return kind
        + ": its K and V depend on more than the tokens before them, so no block of it can be"
        + " shared";
  }
}

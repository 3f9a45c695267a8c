package io.kvasir.core.format;

import io.kvasir.api.format.GroupKind;

/**
 * What one layer keeps: most layers one slot, a layer with an indexer or a compressor several.
 *
 * @param kind what is kept
 * @param window tokens, where the kind is sliding or chunked
 * @param ratio tokens per entry, where entries are compressed
 * @param kvHeads KV heads
 * @param kDim elements of one K head
 * @param vDim elements of one V head
 * @param conv elements of the convolution's state, where the kind is {@code state}
 * @param ssm elements of the recurrent state
 * @param ssmDtype type of the recurrent state where the model says it, else null
 */
record Slot(
    GroupKind kind,
    Integer window,
    Integer ratio,
    Integer kvHeads,
    Integer kDim,
    Integer vDim,
    long conv,
    long ssm,
    String ssmDtype) {
  private static final long MOST_STATE = 1L << 40;

  /**
   * {@return the slot that a template makes of a configuration}
   *
   * @param template of the table: sizes are {@link Expression}s
   * @param slides whether a window hides any token
   * @param tp ranks over which the state's groups are cut
   */
  static Slot of(Rules template, Fields config, boolean slides, int tp) {
    GroupKind kind = GroupKind.named(template.rule("kind", "full")).orElseThrow();
    if (kind == GroupKind.STATE) {
      return state(template, config, tp);
    }
    String window = template.rule("window");
    return new Slot(
        window == null || slides ? kind : GroupKind.FULL,
        slides ? config.integer(window, 1, Integer.MAX_VALUE) : null,
        template.flag("ratio") ? dimension(template.rule("ratio"), config, 1) : null,
        dimension(template.rule("heads", "num_key_value_heads"), config, 1),
        dimension(template.rule("k", "head_dim"), config, 1),
        dimension(template.rule("v", "head_dim"), config, 0),
        0,
        0,
        null);
  }

  private static int dimension(String expression, Fields config, int least) {
    return config.has(expression)
        ? config.integer(expression, least, NormalConfig.MOST_DIMENSION)
        : (int) size(expression, config, least, NormalConfig.MOST_DIMENSION);
  }

  private static long size(String expression, Fields config, long least, long most) {
    String target = Expression.names(expression).stream().findFirst().orElse("layer_types");
    long value = Expression.number(expression, config, target);
    if (value < least || value > most) {
      throw config.error(
          target,
          "makes %s %d, which is no whole number from %d to %d",
          expression,
          value,
          least,
          most);
    }
    return value;
  }

  private static Slot state(Rules template, Fields config, int tp) {
    Fields sizes = config;
    String groups = template.rule("groups");
    if (groups != null) {
      int count = config.integer(groups, 1, NormalConfig.MOST_DIMENSION);
      if (count % tp != 0 && count != 1) {
        throw config.error(groups, "%d is not divisible by the %d ranks", count, tp);
      }
      sizes = config.with("groups", (long) Math.max(count, tp)); // one group is repeated per rank
    }
    for (String name : template.names("divides")) {
      if (Expression.number(name, config, name) % tp != 0) {
        throw config.error(name, "is not divisible by the %d ranks", tp);
      }
    }
    String dtype = template.rule("ssm_dtype");
    boolean named = dtype != null && !dtype.startsWith("float");
    return new Slot(
        GroupKind.STATE,
        null,
        null,
        null,
        null,
        null,
        size(template.rule("conv"), sizes, 0, MOST_STATE),
        size(template.rule("ssm"), sizes, 0, MOST_STATE),
        named ? (config.isNull(dtype) ? null : config.text(dtype)) : dtype);
  }
}

package io.kvasir.core.format;

import io.kvasir.api.format.GroupKind;
import java.util.Map;

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
  static Slot of(Map<String, Object> template, Fields config, boolean slides, int tp) {
    GroupKind kind = GroupKind.named((String) template.getOrDefault("kind", "full")).orElseThrow();
    if (kind == GroupKind.STATE) {
      return state(template, config, tp);
    }
    String window = (String) template.get("window");
    if (window != null && !slides) {
      kind = GroupKind.FULL;
      window = null;
    }
    return new Slot(
        kind,
        window == null ? null : config.integer(window, 1, Integer.MAX_VALUE),
        size(template, "ratio", null, config, 1),
        size(template, "heads", "num_key_value_heads", config, 1),
        size(template, "k", "head_dim", config, 1),
        size(template, "v", "head_dim", config, 0),
        0,
        0,
        null);
  }

  private static Integer size(
      Map<String, Object> template, String name, String otherwise, Fields config, int least) {
    String expression = (String) template.getOrDefault(name, otherwise);
    if (expression == null) {
      return null;
    }
    String target = Expression.names(expression).stream().findFirst().orElse(name);
    if (config.has(expression)) {
      return config.integer(expression, least, NormalConfig.MOST_DIMENSION);
    }
    long value = Expression.number(expression, config, target);
    if (value < least || value > NormalConfig.MOST_DIMENSION) {
      throw config.error(
          target,
          "makes %s %d, which is no whole number from %d to %d"
              .formatted(expression, value, least, NormalConfig.MOST_DIMENSION));
    }
    return (int) value;
  }

  private static Slot state(Map<String, Object> template, Fields config, int tp) {
    Fields sizes = config;
    if (template.get("groups") instanceof String name) {
      int groups = config.integer(name, 1, NormalConfig.MOST_DIMENSION);
      if (groups % tp != 0 && groups != 1) {
        throw config.error(name, "%d is not divisible by the %d ranks".formatted(groups, tp));
      }
      sizes = config.with("groups", (long) Math.max(groups, tp)); // one group is repeated per rank
    }
    for (String name : Tables.strings(template.get("divides"))) {
      if (Expression.number(name, config, name) % tp != 0) {
        throw config.error(name, "is not divisible by the %d ranks".formatted(tp));
      }
    }
    String dtype = (String) template.get("ssm_dtype");
    boolean named = dtype != null && !dtype.startsWith("float");
    return new Slot(
        GroupKind.STATE,
        null,
        null,
        null,
        null,
        null,
        elements(template, "conv", sizes),
        elements(template, "ssm", sizes),
        named ? (config.isNull(dtype) ? null : config.text(dtype)) : dtype);
  }

  private static long elements(Map<String, Object> template, String name, Fields config) {
    String expression = (String) template.get(name);
    String target = Expression.names(expression).stream().findFirst().orElse(name);
    long value = Expression.number(expression, config, target);
    if (value < 0 || value > MOST_STATE) {
      throw config.error(target, "makes a state of %d elements".formatted(value));
    }
    return value;
  }
}

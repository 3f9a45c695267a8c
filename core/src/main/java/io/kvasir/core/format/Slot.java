package io.kvasir.core.format;

import io.kvasir.api.format.GroupKind;
import java.util.Map;

/**
 * What one layer keeps: most layers one slot, a layer with an indexer or a compressor several.
 *
 * @param kind what is kept
 * @param sizes what there is of: {@code heads}, and elements {@code k} and {@code v} of one; {@code
 *     window} in tokens; {@code ratio} of tokens to one entry; of a state the elements {@code conv}
 *     of its convolution and {@code ssm} of its recurrence, and its {@code groups}
 * @param ssmDtype type of the recurrent state where the model says it, else null
 */
record Slot(GroupKind kind, Map<String, Long> sizes, String ssmDtype) {
  /** {@return a size; null where there is none} */
  Integer size(String name) {
    return sizes.containsKey(name) ? Math.toIntExact(sizes.get(name)) : null;
  }
}

package io.kvasir.core.format;

import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.GroupKind;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;

/** What {@link KvFormat#check()} takes for granted: numbers of a size that sizes can be made of. */
final class FormatBounds {
  private static final int MOST_GROUPS = 256;
  private static final int MOST = 1 << 16;

  private FormatBounds() {}

  /**
   * Refuses a format that no block can be stored under.
   *
   * @throws FormatException that names the first field, its value and what is right
   */
  static void check(KvFormat format) {
    if (format.groups().size() > MOST_GROUPS) {
      throw new FormatException(
          "groups: %d of them; at most %d".formatted(format.groups().size(), MOST_GROUPS));
    }
    for (int i = 0; i < format.groups().size(); i++) {
      check("groups[" + i + "].", format.groups().get(i));
    }
    format.check();
  }

  private static void check(String at, KvGroup group) {
    if (group.layers().size() > NormalConfig.MOST_LAYERS) {
      throw new FormatException(
          "%slayers: %d of them; at most %d"
              .formatted(at, group.layers().size(), NormalConfig.MOST_LAYERS));
    }
    boolean state = group.kind() == GroupKind.STATE;
    bound(at + "kv_heads", group.kvHeads(), 1, state);
    bound(at + "k_dim", group.kDim(), 1, state);
    bound(at + "v_dim", group.vDim(), 0, state);
    bound(at + "window", group.window(), 1, true, Integer.MAX_VALUE);
    bound(at + "ratio", group.ratio(), 1, group.kind() != GroupKind.COMPRESSED);
    if (group.kind() == GroupKind.MLA && (group.kvHeads() != 1 || group.vDim() != 0)) {
      throw new FormatException(
          "%skind: mla is one KV head of latent and rope part with v_dim 0, not %d heads with v_dim %d"
              .formatted(at, group.kvHeads(), group.vDim()));
    }
    if (group.quant() == null) {
      return;
    }
    bits(at + "quant.k.bits", group.quant().k().bits(), group.kDtype().bits());
    bits(at + "quant.v.bits", group.quant().v().bits(), group.vDtype().bits());
  }

  private static void bound(String name, Integer value, int least, boolean nullAllowed) {
    bound(name, value, least, nullAllowed, MOST);
  }

  private static void bound(String name, Integer value, int least, boolean nullAllowed, int most) {
    if (value == null ? !nullAllowed : value < least || value > most) {
      throw new FormatException(
          "%s: %s is not a whole number from %d to %d".formatted(name, value, least, most));
    }
  }

  private static void bits(String name, int bits, int ofType) {
    if (bits != ofType) {
      throw new FormatException("%s: %d, but an element has %d bits".formatted(name, bits, ofType));
    }
  }
}

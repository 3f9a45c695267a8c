package io.kvasir.core.identity;

import io.kvasir.api.identity.CanonicalJson;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One field in which two manifests or configurations differ.
 *
 * @param field its path
 * @param left a JSON value, or {@link #ABSENT}
 * @param right a JSON value, or {@link #ABSENT}
 */
public record Difference(String field, Object left, Object right) {
  /** The field is not there, which is not the same as null. */
  public static final Object ABSENT =
      new Object() {
        @Override
        public String toString() {
          return "absent";
        }
      };

  static String show(Object value) {
    return value == ABSENT ? "absent" : CanonicalJson.text(value);
  }

  /** {@return a JSON tree, in which an absent side is left out} */
  public Map<String, Object> json() {
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("field", field);
    if (left != ABSENT) {
      out.put("left", left);
    }
    if (right != ABSENT) {
      out.put("right", right);
    }
    return out;
  }
}

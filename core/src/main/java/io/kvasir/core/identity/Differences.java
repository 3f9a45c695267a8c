package io.kvasir.core.identity;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What separates two namespaces.
 *
 * @param left name of the one
 * @param right name of the other
 * @param fields in the order of their paths; empty if the two share
 * @param notes what could not be compared
 */
public record Differences(String left, String right, List<Difference> fields, List<String> notes) {
  /** Copies the lists. */
  public Differences {
    fields = List.copyOf(fields);
    notes = List.copyOf(notes);
  }

  /** {@return the paths of the fields} */
  public List<String> names() {
    return fields.stream().map(Difference::field).toList();
  }

  /** {@return whether a field differs} */
  public boolean has(String field) {
    return names().contains(field);
  }

  /** {@return lines for a terminal} */
  public String text() {
    StringBuilder out = new StringBuilder();
    out.append(left).append(" and ").append(right);
    switch (fields.size()) {
      case 0 -> out.append(" have one identity\n");
      case 1 -> out.append(" differ in 1 field\n");
      default -> out.append(" differ in ").append(fields.size()).append(" fields\n");
    }
    for (Difference d : fields) {
      out.append("  ").append(d.field()).append('\n');
      out.append("    ").append(left).append(": ").append(Difference.show(d.left()));
      out.append('\n');
      out.append("    ").append(right).append(": ").append(Difference.show(d.right()));
      out.append('\n');
    }
    notes.forEach(note -> out.append("  note: ").append(note).append('\n'));
    return out.toString();
  }

  /** {@return a JSON tree} */
  public Map<String, Object> json() {
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("left", left);
    out.put("right", right);
    out.put("fields", fields.stream().map(Difference::json).toList());
    out.put("notes", notes);
    return out;
  }
}

package io.kvasir.core.identity;

import io.kvasir.api.format.ModelConfiguration;
import io.kvasir.api.identity.CanonicalJson;
import io.kvasir.api.identity.IdentityException;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.NamespaceSummary;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Why two deployments do not share: the fields in which their manifests differ, down to single
 * names of the normalised configuration, and which stored namespace is nearest to a new one.
 */
public final class Explain {
  private static final String CONFIG = "semantic.config";

  private Explain() {}

  /**
   * One of two that are compared.
   *
   * @param name as the result calls it
   * @param manifest the tree
   * @param configuration the normalised configuration, where it is known
   */
  public record Side(
      String name, Map<String, Object> manifest, Optional<Map<String, Object>> configuration) {
    /** {@return a deployment} */
    public static Side of(NamespaceManifest manifest) {
      return new Side(manifest.id().prefix(), manifest.json(), manifest.format().config().tree());
    }

    /**
     * {@return a namespace of a store}
     *
     * @throws IdentityException if its stored bytes are not what its id says
     */
    public static Side of(NamespaceSummary summary) {
      String name = summary.id().prefix();
      return new Side(
          name,
          StoredManifest.verify(summary.id(), summary.manifest()).json(),
          summary
              .configuration()
              .map(bytes -> StrictJson.object("configuration of " + name, bytes)));
    }

    private Optional<Map<String, Object>> verified(Object digest) {
      return configuration.filter(c -> ModelConfiguration.of(c).digest().equals(digest));
    }
  }

  /** {@return the fields that differ between two} */
  public static Differences between(Side left, Side right) {
    List<Difference> fields = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    compare("", left.manifest(), right.manifest(), fields);
    for (int i = 0; i < fields.size(); i++) {
      if (fields.get(i).field().equals(CONFIG)) {
        List<Difference> names = configurations(left, right, fields.get(i), notes);
        fields.remove(i);
        fields.addAll(i, names);
        break;
      }
    }
    return new Differences(left.name(), right.name(), fields, notes);
  }

  private static List<Difference> configurations(
      Side left, Side right, Difference digests, List<String> notes) {
    Optional<Map<String, Object>> l = left.verified(digests.left());
    Optional<Map<String, Object>> r = right.verified(digests.right());
    if (l.isEmpty() || r.isEmpty()) {
      unknown(left, l, notes);
      unknown(right, r, notes);
      return List.of(digests);
    }
    List<Difference> names = new ArrayList<>();
    compare(CONFIG, l.get(), r.get(), names);
    return names;
  }

  private static void unknown(
      Side side, Optional<Map<String, Object>> verified, List<String> notes) {
    if (verified.isEmpty()) {
      notes.add(
          side.name()
              + ": its normalised configuration "
              + (side.configuration().isEmpty() ? "is not kept" : "has another digest")
              + ", so that only digests can be compared");
    }
  }

  /**
   * {@return the stored namespace that differs in the fewest fields; of several, one of the same
   * tenant, and then the one that was used last}
   *
   * @param stored namespaces of a store; the deployment's own is left out
   */
  public static Optional<Nearest> nearest(
      NamespaceManifest deployment, List<NamespaceSummary> stored) {
    List<Nearest> all = new ArrayList<>();
    List<String> unreadable = new ArrayList<>();
    for (NamespaceSummary summary : stored) {
      if (summary.id().equals(deployment.id())) {
        continue;
      }
      try {
        Differences d = between(Side.of(deployment), Side.of(summary));
        all.add(new Nearest(summary, d, 0, List.of()));
      } catch (IdentityException e) {
        unreadable.add(e.getMessage());
      }
    }
    return all.stream()
        .min(
            Comparator.comparingInt((Nearest n) -> n.differences().fields().size())
                .thenComparing(n -> n.differences().has("tenant"))
                .thenComparing(n -> n.namespace().lastUsed(), Comparator.reverseOrder()))
        .map(n -> new Nearest(n.namespace(), n.differences(), all.size(), unreadable));
  }

  /**
   * {@return the line for the log when a deployment's namespace is new and the store holds others
   * of its tenant}
   */
  public static Optional<String> notice(
      NamespaceManifest deployment, List<NamespaceSummary> stored) {
    List<NamespaceSummary> own = new ArrayList<>();
    for (NamespaceSummary summary : stored) {
      if (summary.id().equals(deployment.id())) {
        return Optional.empty();
      }
      if (tenantOf(summary).equals(Optional.of(deployment.tenant()))) {
        own.add(summary);
      }
    }
    return nearest(deployment, own)
        .map(
            n ->
                "namespace %s of %s is new; the nearest of %d that this tenant has is %s, which"
                        .formatted(
                            deployment.id().prefix(),
                            CanonicalJson.text(deployment.tenant()),
                            n.compared(),
                            n.namespace().id().prefix())
                    + " differs in %s; kvasir identity explain --nearest shows the values"
                        .formatted(String.join(", ", n.differences().names())));
  }

  private static Optional<Object> tenantOf(NamespaceSummary summary) {
    try {
      return Optional.ofNullable(Side.of(summary).manifest().get("tenant"));
    } catch (IdentityException e) {
      return Optional.empty(); // unreadable: nobody's
    }
  }

  private static void compare(String field, Object left, Object right, List<Difference> out) {
    if (left instanceof Map<?, ?> l && right instanceof Map<?, ?> r) {
      TreeSet<String> names = new TreeSet<>();
      l.keySet().forEach(n -> names.add((String) n));
      r.keySet().forEach(n -> names.add((String) n));
      for (String name : names) {
        compare(field.isEmpty() ? name : field + "." + name, at(l, name), at(r, name), out);
      }
    } else if (left instanceof List<?> l && right instanceof List<?> r && objects(l, r)) {
      for (int i = 0; i < Math.max(l.size(), r.size()); i++) {
        compare(field + "[" + i + "]", at(l, i), at(r, i), out);
      }
    } else if (!Difference.show(left).equals(Difference.show(right))) {
      out.add(new Difference(field, left, right));
    }
  }

  /** Lists of objects are compared one by one; a list of layers or sizes is one value. */
  private static boolean objects(List<?> left, List<?> right) {
    return left.stream().allMatch(Map.class::isInstance)
        && right.stream().allMatch(Map.class::isInstance);
  }

  private static Object at(Map<?, ?> map, String name) {
    return map.containsKey(name) ? map.get(name) : Difference.ABSENT;
  }

  private static Object at(List<?> list, int index) {
    return index < list.size() ? list.get(index) : Difference.ABSENT;
  }

  /**
   * A stored namespace near a deployment.
   *
   * @param namespace the stored one
   * @param differences the deployment on the left, the stored one on the right
   * @param compared number of namespaces that were compared
   * @param unreadable why others were not
   */
  public record Nearest(
      NamespaceSummary namespace, Differences differences, int compared, List<String> unreadable) {
    /** {@return lines for a terminal} */
    public String text() {
      StringBuilder out = new StringBuilder();
      out.append("nearest of ").append(compared).append(": ").append(namespace.id().prefix());
      out.append(" (").append(namespace.blocks()).append(" blocks, last used ");
      out.append(namespace.lastUsed()).append(")\n").append(differences.text());
      unreadable.forEach(u -> out.append("left out: ").append(u).append('\n'));
      return out.toString();
    }

    /** {@return a JSON tree} */
    public Map<String, Object> json() {
      Map<String, Object> out = new LinkedHashMap<>();
      out.put("nearest", namespace.id().hex());
      out.put("labels", namespace.labels());
      out.put("blocks", namespace.blocks());
      out.put("last_used", namespace.lastUsed().toString());
      out.put("compared", compared);
      out.put("unreadable", unreadable);
      out.put("differences", differences.json());
      return out;
    }
  }
}

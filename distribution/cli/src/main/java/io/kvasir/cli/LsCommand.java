package io.kvasir.cli;

import io.kvasir.api.KvasirException;
import io.kvasir.api.identity.CanonicalJson;
import io.kvasir.api.store.NamespaceSummary;
import io.kvasir.core.Deployment;
import io.kvasir.core.identity.StoredManifest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code kvasir ls}. */
@Command(
    name = "ls",
    description = {
      "Lists the namespaces of the store, the last used first. Takes no lock and changes nothing:"
          + " beside an engine that writes, blocks and bytes lag behind it."
    })
final class LsCommand implements Callable<Integer> {
  @Mixin private Common common;

  LsCommand() {}

  @Override
  public Integer call() {
    try (Deployment deployment = common.deployment()) {
      List<NamespaceSummary> all = new ArrayList<>(deployment.view().namespaces());
      all.sort(Comparator.comparing(NamespaceSummary::lastUsed).reversed());
      Instant now = Instant.now();
      List<List<String>> rows = new ArrayList<>();
      rows.add(
          List.of(
              "NAMESPACE", "TENANT", "MODEL", "WEIGHTS", "FORMAT", "BLOCKS", "BYTES", "LAST USED"));
      List<Map<String, Object>> json = new ArrayList<>();
      for (NamespaceSummary n : all) {
        Row row = Row.of(n);
        rows.add(
            List.of(
                n.id().prefix(),
                row.tenant(),
                n.labels().getOrDefault("model", ""),
                row.weights(),
                row.format(),
                Long.toString(n.blocks()),
                Quantities.bytes(n.bytes()),
                Quantities.ago(n.lastUsed(), now)));
        json.add(row.json(n));
      }
      if (all.isEmpty()) {
        common.output().line("the store holds no namespace");
      } else {
        common.output().table(rows);
        common.output().line("blocks and bytes lag behind an engine that writes");
      }
      common.output().value(json);
      return ExitCode.OK;
    }
  }

  /** What a stored manifest says, or that it says nothing. */
  private record Row(String tenant, String weights, String format, Object manifest) {
    static Row of(NamespaceSummary summary) {
      Map<String, Object> json;
      try {
        json = StoredManifest.verify(summary.id(), summary.manifest()).json();
      } catch (KvasirException e) {
        return new Row("?", "?", "damaged manifest", null);
      }
      if (json.get("semantic") instanceof Map<?, ?> semantic
          && json.get("representation") instanceof Map<?, ?> representation) {
        return new Row(
            String.valueOf(json.get("tenant")),
            weights(semantic.get("weights")),
            format(representation),
            json);
      }
      return new Row("any", "any", String.valueOf(json.get("schema")), json);
    }

    private static String weights(Object weights) {
      if (!(weights instanceof Map<?, ?> w)) {
        return "?";
      }
      for (String name : List.of("content", "commit", "name", "update", "nonce")) {
        if (w.get(name) instanceof String value) {
          boolean digest = value.length() > 20 && value.matches("([a-z0-9]+:)?[0-9a-f]+");
          return w.get("kind") + " " + (digest ? value.substring(0, 19) : value);
        }
      }
      return CanonicalJson.text(weights);
    }

    private static String format(Map<?, ?> representation) {
      StringBuilder out = new StringBuilder();
      out.append(representation.get("engine")).append(' ').append(representation.get("layout"));
      if (representation.get("groups") instanceof List<?> groups) {
        for (Object group : groups) {
          if (group instanceof Map<?, ?> g) {
            out.append(' ').append(g.get("k_dtype")).append('x').append(g.get("block_tokens"));
          }
        }
      }
      return out.toString();
    }

    Map<String, Object> json(NamespaceSummary n) {
      Map<String, Object> out = new LinkedHashMap<>();
      out.put("namespace", n.id().hex());
      out.put("tenant", tenant);
      out.put("labels", n.labels());
      out.put("weights", weights);
      out.put("format", format);
      out.put("blocks", n.blocks());
      out.put("bytes", n.bytes());
      out.put("created", n.created().toString());
      out.put("last_used", n.lastUsed().toString());
      n.supersededBy().ifPresent(id -> out.put("superseded_by", id.hex()));
      out.put("manifest", manifest);
      return out;
    }
  }
}

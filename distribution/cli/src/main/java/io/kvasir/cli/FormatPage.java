package io.kvasir.cli;

import io.kvasir.api.format.GroupKind;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import io.kvasir.api.format.Quantization;
import io.kvasir.api.format.Shards;
import io.kvasir.api.identity.CanonicalJson;
import io.kvasir.core.format.FormatPreview;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What {@code kvasir format} shows of one model.
 *
 * @param model where it was read
 * @param preview its format
 */
record FormatPage(Path model, FormatPreview preview) {
  private static final List<String> HEAD =
      List.of(
          "group",
          "kind",
          "layers",
          "heads",
          "K",
          "V",
          "window",
          "ratio",
          "K type",
          "V type",
          "scales",
          "bytes/token",
          "bytes/block",
          "per rank");

  private KvFormat format() {
    return preview.format();
  }

  /** {@return the bytes of a block over all ranks, each part counted once} */
  private static long block(KvGroup group) {
    return group.payloadBytes(Shards.ONE);
  }

  /** {@return bytes per token, with a fraction where an entry stands for several; 0 of a state} */
  private static BigDecimal perToken(KvGroup group) {
    return group.kind() == GroupKind.STATE
        ? BigDecimal.ZERO
        : BigDecimal.valueOf(block(group))
            .divide(BigDecimal.valueOf(group.blockTokens()), MathContext.DECIMAL64);
  }

  /** {@return totals by what becomes of them: some grow with the tokens, some are bounded} */
  private Map<String, Object> totals() {
    Map<String, BigDecimal> sums = new LinkedHashMap<>();
    for (String name : List.of("growing", "bounded", "index", "compressed")) {
      sums.put(name, BigDecimal.ZERO);
    }
    long states = 0;
    for (KvGroup group : format().groups()) {
      String name =
          switch (group.kind()) {
            case SLIDING, CHUNKED -> "bounded";
            case INDEX -> group.ratio() == null ? "index" : "compressed";
            case COMPRESSED -> "compressed";
            default -> "growing";
          };
      sums.merge(name, perToken(group), BigDecimal::add);
      states += group.kind() == GroupKind.STATE ? block(group) : 0;
    }
    Map<String, Object> out = new LinkedHashMap<>();
    sums.forEach((name, sum) -> out.put(name + "_bytes_per_token", plain(sum)));
    out.put("state_bytes", states);
    return out;
  }

  private static Number plain(BigDecimal number) {
    BigDecimal stripped = number.stripTrailingZeros();
    return stripped.scale() <= 0 ? (Number) stripped.longValueExact() : stripped;
  }

  /** {@return the page as a JSON tree} */
  Map<String, Object> json() {
    List<Map<String, Object>> groups = new ArrayList<>();
    for (KvGroup group : format().groups()) {
      Map<String, Object> json = group.json();
      json.put("bytes_per_token", plain(perToken(group)));
      json.put("bytes_per_block", block(group));
      json.put("bytes_per_block_per_rank", group.payloadBytes(format().shards()));
      groups.add(json);
    }
    Map<String, Object> identity = new LinkedHashMap<>();
    identity.put("config", format().config().digest());
    identity.put("configuration", format().config().tree().orElse(Map.of()));
    identity.put("compute", format().compute().json());
    identity.put("engine", format().engine());
    identity.put("layout", format().layout());
    identity.put("numerics", format().numerics());
    identity.put("shards", format().shards().json());
    identity.put("extensions", format().extensions());
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("model", model.toString());
    out.put("class", modelClass());
    out.put("block_tokens", blockTokens());
    out.put("groups", groups);
    out.put("totals", totals());
    out.put("identity", identity);
    out.put("assumed", preview.assumed());
    preview.tokenizer().ifPresent(t -> out.put("labels", Map.of("tokenizer", t)));
    return out;
  }

  /** Prints the page for people. */
  void print(Output output) {
    output.line("model     " + model);
    output.line("class     " + modelClass());
    output.line(
        "engine    %s, layout %s, blocks of %d tokens"
            .formatted(format().engine(), format().layout(), blockTokens()));
    List<List<String>> rows = new ArrayList<>(List.of(HEAD));
    format().groups().forEach(group -> rows.add(row(group)));
    output.table(rows);
    totals()
        .forEach(
            (name, value) -> {
              if (!value.equals(0L)) {
                output.line("%-26s %s".formatted(name.replace('_', ' '), value));
              }
            });
    output.line("identity  config %s".formatted(format().config().digest()));
    output.line(
        "          of %s"
            .formatted(String.join(", ", format().config().tree().orElse(Map.of()).keySet())));
    output.line("          compute " + CanonicalJson.text(format().compute().json()));
    output.line("          shards " + CanonicalJson.text(format().shards().json()));
    preview.tokenizer().ifPresent(t -> output.line("label     tokenizer " + t));
    if (!preview.assumed().isEmpty()) {
      output.line(
          "assumed   %s; an engine has to say these"
              .formatted(CanonicalJson.text(preview.assumed())));
    }
    output.line("");
  }

  private List<String> row(KvGroup g) {
    boolean state = g.kind() == GroupKind.STATE;
    return Arrays.asList(
        String.valueOf(g.id()),
        g.kind().wireName(),
        g.layers().size() + layers(g.layers()),
        text(g.kvHeads()),
        text(g.kDim()),
        text(g.vDim()),
        text(g.window()),
        text(g.ratio()),
        g.kDtype().wireName(),
        g.vDtype().wireName(),
        g.quant() == null ? "-" : scales(g.quant()),
        state ? "-" : plain(perToken(g)).toString(),
        String.valueOf(block(g)),
        String.valueOf(g.payloadBytes(format().shards())));
  }

  private static String scales(Quantization quant) {
    return quant.k().scales().inBlock() ? "in the block" : "in the engine";
  }

  private static String text(Object value) {
    return value == null ? "-" : value.toString();
  }

  /** {@return the first and last layer, and whether some between are of other groups} */
  private static String layers(List<Integer> layers) {
    int span = layers.getLast() - layers.getFirst() + 1;
    return " (%d%s%d)"
        .formatted(layers.getFirst(), span == layers.size() ? "–" : "…", layers.getLast());
  }

  private int blockTokens() {
    return format().groups().getFirst().blockTokens();
  }

  private String modelClass() {
    Map<String, Object> tree = format().config().tree().orElse(Map.of());
    Object text = tree.get("text_config");
    return tree.get("model_type")
        + (text instanceof Map<?, ?> t ? " of " + t.get("model_type") : "");
  }
}

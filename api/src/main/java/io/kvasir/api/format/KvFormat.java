package io.kvasir.api.format;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the bytes of a deployment's blocks mean, apart from the tenant and the weights.
 *
 * @param config the model's normalised configuration
 * @param compute types that the model computes with
 * @param engine engine and runner by name; not the version: an engine that changes what it stores
 *     changes the layout
 * @param layout order of the dimensions within a block, with a version: {@code
 *     layer-kv-token-head/1}
 * @param byteOrder {@code little}
 * @param hashing {@code kvasir/1}, or {@code engine:<name>/<algorithm>} for bound engine hashes
 * @param numerics {@code any}, or what bit equality depends on
 * @param groups at least one, ids from 0
 * @param shards how a block is cut over ranks
 * @param extensions dotted names with JSON values, where a policy or codec adds to the identity
 */
public record KvFormat(
    ModelConfiguration config,
    Compute compute,
    String engine,
    String layout,
    String byteOrder,
    String hashing,
    String numerics,
    List<KvGroup> groups,
    Shards shards,
    SortedMap<String, Object> extensions) {

  /** The hashing of this project. */
  public static final String HASHING = "kvasir/1";

  /** Copies the lists. */
  public KvFormat {
    groups = List.copyOf(groups);
    extensions = java.util.Collections.unmodifiableSortedMap(new TreeMap<>(extensions));
  }

  /** {@return a little-endian format with the project's own hashing, any numerics, no extension} */
  public static KvFormat of(
      ModelConfiguration config,
      Compute compute,
      String engine,
      String layout,
      List<KvGroup> groups,
      Shards shards) {
    return new KvFormat(
        config, compute, engine, layout, "little", HASHING, "any", groups, shards, new TreeMap<>());
  }

  /** {@return this format, whose bits depend on more than its meaning} */
  public KvFormat withNumerics(String numerics) {
    return new KvFormat(
        config, compute, engine, layout, byteOrder, hashing, numerics, groups, shards, extensions);
  }

  /** {@return this format with an addition to its identity} */
  public KvFormat withExtension(String name, Object value) {
    SortedMap<String, Object> more = new TreeMap<>(extensions);
    more.put(name, value);
    return new KvFormat(
        config, compute, engine, layout, byteOrder, hashing, numerics, groups, shards, more);
  }

  /**
   * The types that a model computes with; on-the-fly quantisation is in no file's digest.
   *
   * @param weights as loaded: {@code bf16}, {@code awq-int4/g128}, {@code online-fp8}
   * @param activations {@code bf16}, …
   */
  public record Compute(String weights, String activations) {
    /** {@return the object in a manifest} */
    public Map<String, Object> json() {
      return Map.of("weights", weights, "activations", activations);
    }
  }

  /** {@return the payload bytes of one block of one shard of a group} */
  public long payloadBytes(int group) {
    return groups.get(group).payloadBytes(shards);
  }

  /**
   * Refuses what no block can be stored under.
   *
   * @throws FormatException that names the first field, its value and what to give instead
   */
  public void check() {
    known("compute.weights", compute.weights());
    known("compute.activations", compute.activations());
    known("engine", engine);
    known("layout", layout);
    known("hashing", hashing);
    known("numerics", numerics);
    if (!byteOrder.equals("little")) {
      throw new FormatException(
          "byte_order: \"%s\" is not supported; blocks are \"little\"".formatted(byteOrder));
    }
    if (groups.isEmpty()) {
      throw new FormatException("groups: none; a format has at least one group");
    }
    for (int i = 0; i < groups.size(); i++) {
      if (groups.get(i).id() != i) {
        throw new FormatException(
            "groups[%d].id: %d is not %d".formatted(i, groups.get(i).id(), i));
      }
      checkGroup(groups.get(i));
    }
  }

  private void checkGroup(KvGroup group) {
    String at = "groups[" + group.id() + "].";
    if (group.blockTokens() < 1 || group.blockTokens() > 1 << 16) {
      throw new FormatException(
          at + "block_tokens: " + group.blockTokens() + " is not in 1 … 65536");
    }
    if (group.layers().isEmpty() && group.kind() != GroupKind.STATE) {
      throw new FormatException(at + "layers: none");
    }
    for (int i = 1; i < group.layers().size(); i++) {
      if (group.layers().get(i) <= group.layers().get(i - 1)) {
        throw new FormatException(at + "layers: " + group.layers() + " is not sorted");
      }
    }
    boolean windowed = group.kind() == GroupKind.SLIDING || group.kind() == GroupKind.CHUNKED;
    if (windowed != (group.window() != null)) {
      throw new FormatException(
          at + "window: " + group.window() + " with kind " + group.kind().wireName());
    }
    long bytes = group.payloadBytes(shards);
    if (bytes < 1 || bytes > 64L << 20) {
      throw new FormatException(
          "%sblock_tokens: %d makes a block of %d bytes; a block has 1 byte to 64 MiB"
              .formatted(at, group.blockTokens(), bytes));
    }
  }

  private static void known(String name, String value) {
    if (value == null || value.isBlank() || value.equals("auto") || value.equals("unknown")) {
      throw new FormatException(
          "%s: %s says nothing; give the value that is in force"
              .formatted(name, value == null ? "null" : "\"" + value + "\""));
    }
  }
}

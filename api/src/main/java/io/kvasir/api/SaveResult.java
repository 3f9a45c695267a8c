package io.kvasir.api;

import java.util.List;

/**
 * How a save ended.
 *
 * @param parts how each group and shard ended; empty where there was nothing to save
 */
public record SaveResult(List<LoadResult.Part> parts) {
  /** {@return the number of blocks that are stored} */
  public int saved() {
    return (int)
        parts.stream().flatMap(p -> p.statuses().stream()).filter(s -> s == BlockStatus.OK).count();
  }

  /** {@return whether every block is stored} */
  public boolean complete() {
    return parts.stream().flatMap(p -> p.statuses().stream()).allMatch(s -> s == BlockStatus.OK);
  }
}

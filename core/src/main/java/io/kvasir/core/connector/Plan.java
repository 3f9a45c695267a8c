package io.kvasir.core.connector;

import io.kvasir.api.BlockMemory;
import io.kvasir.api.BlockStatus;
import io.kvasir.api.Fence;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.TransferPath;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What a load or a save moves: checked, cut into batches, parents first. */
final class Plan {
  /** Whose need the memory does not meet, in an error. */
  private static final String LOADED = "the match";

  private static final String SAVED = "the save";

  private final Machinery machinery;
  private final Chains chains;
  private final List<Span> spans = new ArrayList<>();
  private final List<BlockMemory> memory = new ArrayList<>();
  private final List<TransferPath> paths = new ArrayList<>();
  private final List<Batch> batches = new ArrayList<>();
  private long bytes;

  private Plan(Machinery machinery, Chains chains) {
    this.machinery = machinery;
    this.chains = chains;
  }

  /** Gives the runs of blocks of a part that are to be saved, out of a range. */
  interface Wanted {
    List<Span> of(Part part, int first, int end);
  }

  /**
   * {@return the load of a prefix, with the bytes counted as waiting; without room, all of it is
   * {@code CAPACITY}}
   *
   * @throws io.kvasir.api.KvasirException if the memory does not fit
   */
  static Plan load(Machinery machinery, Chains chains, long tokens, BlockMemory memory) {
    Plan plan = new Plan(machinery, chains);
    if (tokens > 0) {
      for (Part part : machinery.layout.parts()) {
        Span span = new Span(part, part.firstNeeded(tokens), part.end(tokens));
        plan.use(part, memory, span.first, span.end(), LOADED, Fence.none());
        plan.spans.add(span);
        plan.addKnown(span);
      }
    }
    plan.batches.sort(Comparator.comparingLong(Batch::position));
    plan.bytes = plan.batches.stream().mapToLong(Batch::bytes).sum();
    if (!machinery.counters.loads.reserveOrFirst(plan.bytes)) {
      plan.batches.forEach(batch -> batch.setAll(BlockStatus.CAPACITY));
      plan.batches.clear();
      plan.bytes = 0;
    }
    return plan;
  }

  /**
   * {@return the save of the complete blocks that the memory holds, with the bytes counted as
   * waiting; what does not fit, the end of the chains, is {@code CAPACITY}}
   *
   * @throws io.kvasir.api.KvasirException if the memory does not fit
   */
  static Plan save(
      Machinery machinery, Chains chains, BlockMemory memory, Fence fence, Wanted wanted) {
    Plan plan = new Plan(machinery, chains);
    List<Span> all = new ArrayList<>();
    for (Part part : machinery.layout.parts()) {
      BlockMemory own = memory.part(part.group(), part.shard());
      int end = Math.min(own.endBlock(), chains.blocks(part));
      int first = Math.min(own.firstBlock(), end);
      plan.use(part, memory, first, end, SAVED, fence);
      all.add(new Span(part, first, end));
    }
    for (Span span : all) { // only now: a mistake above must leave nothing marked
      for (Span run : wanted.of(span.part, span.first, span.end())) {
        plan.spans.add(run);
        plan.add(run, run.first, run.end());
      }
    }
    plan.batches.sort(Comparator.comparingLong(Batch::position));
    plan.admit();
    return plan;
  }

  private void use(Part part, BlockMemory all, int from, int end, String who, Fence fence) {
    BlockMemory own = all.part(part.group(), part.shard());
    Paths.require(part, own, from, end, who);
    Paths.requireUsable(part, own, who.equals(LOADED));
    memory.add(own);
    paths.add(machinery.paths.of(part, own, fence));
  }

  private void add(Span span, int from, int end) {
    BlockKeys keys = chains.keys(span.part, from, end);
    batches.addAll(Batch.of(span, keys, from, machinery.batch(span.part)));
  }

  /** Adds the blocks of a span but for those whose load failed a moment ago: they are misses. */
  private void addKnown(Span span) {
    if (!machinery.failed.any()) {
      add(span, span.first, span.end());
      return;
    }
    BlockKeys keys = chains.keys(span.part, span.first, span.end());
    for (int block = span.first; block < span.end(); block++) {
      if (machinery.failed.contains(keys, block - span.first)) {
        span.set(block, BlockStatus.MISS);
      }
    }
    for (Span run :
        Span.runs(span.part, span.first, span.end(), b -> span.statuses[b - span.first] == null)) {
      add(span, run.first, run.end());
    }
  }

  private void admit() {
    int room = 0;
    while (room < batches.size() && machinery.counters.saves.reserve(batches.get(room).bytes())) {
      bytes += batches.get(room).bytes();
      room++;
    }
    List<Batch> rest = batches.subList(room, batches.size());
    rest.forEach(batch -> batch.setAll(BlockStatus.CAPACITY));
    rest.clear();
  }

  List<Span> spans() {
    return spans;
  }

  /** {@return the memory of a part} */
  BlockMemory memory(Part part) {
    return memory.get(part.index());
  }

  /** {@return the path of a part} */
  TransferPath path(Part part) {
    return paths.get(part.index());
  }

  /** {@return the blocks that move, parents first} */
  List<Batch> batches() {
    return batches;
  }

  /** {@return the bytes that are counted as waiting} */
  long bytes() {
    return bytes;
  }
}

package io.kvasir.core.connector;

import io.kvasir.api.BlockMemory;
import io.kvasir.api.Fence;
import io.kvasir.api.GroupedBlocks;
import io.kvasir.api.KvasirException;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.Region;
import io.kvasir.api.SegmentBlocks;
import io.kvasir.api.store.TransferPath;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;

/** Finds the path for an engine's memory, and refuses memory that does not fit: at submit. */
final class Paths {
  private static final HostPath HOST = new HostPath();
  private final List<TransferPath> paths;
  private final Thread worker;
  private final Logger log;

  /**
   * Creates the choice.
   *
   * @param paths the store's, asked in this order before the host's
   * @param worker any thread that copies
   */
  Paths(List<TransferPath> paths, Thread worker, Logger log) {
    this.paths = List.copyOf(paths);
    this.worker = worker;
    this.log = log;
  }

  /** {@return whether blocks are best moved one by one, so that a cancel waits for one at most} */
  static boolean blockwise(TransferPath path) {
    return path == HOST;
  }

  /**
   * {@return the path for a part's memory}
   *
   * @throws KvasirException if no path accepts it, or the host path cannot wait for the fence
   */
  TransferPath of(Part part, BlockMemory memory, Fence fence) {
    for (TransferPath path : paths) {
      if (accepts(path, memory)) {
        return path;
      }
    }
    if (!HOST.accepts(memory)) {
      throw new KvasirException(
          "%s: no transfer path accepts %s; give memory of the host, or a store with a path for it"
              .formatted(part.name(), kind(memory)));
    }
    if (fence instanceof Fence.Event event) {
      throw new KvasirException(
          "%s: event %d of a device for memory of the host; give Fence.none() or Fence.when(…)"
              .formatted(part.name(), event.handle()));
    }
    requireShared(part, memory);
    return HOST;
  }

  private boolean accepts(TransferPath path, BlockMemory memory) {
    try {
      return path.accepts(memory);
    } catch (Throwable t) {
      log.log(Level.WARNING, "a transfer path failed to say whether it accepts memory: " + path, t);
      return false;
    }
  }

  private static String kind(BlockMemory memory) {
    if (memory instanceof PagedBlocks paged) {
      for (PagedBlocks.Plane plane : paged.planes()) {
        if (plane.region() instanceof Region.Device device) {
          return "memory of the device " + device.device();
        }
      }
    }
    return memory.getClass().getSimpleName();
  }

  /** {@return the memory that the host can address} */
  private static Stream<MemorySegment> segments(BlockMemory memory) {
    return switch (memory) {
      case PagedBlocks paged ->
          paged.planes().stream()
              .map(PagedBlocks.Plane::region)
              .filter(Region.Host.class::isInstance)
              .map(region -> ((Region.Host) region).memory());
      case SegmentBlocks list -> list.blocks().stream().flatMap(List::stream);
      case GroupedBlocks _ -> Stream.empty(); // its parts are asked for one by one
    };
  }

  /**
   * Refuses memory that is gone, or that a load must not write.
   *
   * @throws KvasirException if so
   */
  static void requireUsable(Part part, BlockMemory memory, boolean written) {
    if (!segments(memory).allMatch(s -> s.scope().isAlive())) {
      throw new KvasirException(
          "%s: memory of an arena that is closed; keep it open until the transfer has ended"
              .formatted(part.name()));
    }
    if (written && segments(memory).anyMatch(MemorySegment::isReadOnly)) {
      throw new KvasirException(
          "%s: read-only memory; a load writes, so give the segment itself and not asReadOnly()"
              .formatted(part.name()));
    }
  }

  private void requireShared(Part part, BlockMemory memory) {
    if (!segments(memory).allMatch(s -> s.isAccessibleBy(worker))) {
      throw new KvasirException(
          "%s: memory of a confined arena; workers copy, so give memory of a shared or automatic one"
              .formatted(part.name()));
    }
  }

  /**
   * Checks that the memory holds blocks, each of the part's size.
   *
   * @throws KvasirException if not
   */
  static void require(Part part, BlockMemory memory, int from, int end, String who) {
    if (from < memory.firstBlock() || end > memory.endBlock()) {
      throw new KvasirException(
          "%s: the memory holds the blocks from %d to before %d, %s needs those from %d to before %d"
              .formatted(part.name(), memory.firstBlock(), memory.endBlock(), who, from, end));
    }
    int last = memory instanceof PagedBlocks ? Math.min(end, from + 1) : end; // rows are alike
    for (int block = from; block < last; block++) {
      if (memory.blockBytes(block) != part.payloadBytes()) {
        throw new KvasirException(
            "%s: block %d of the memory has %d bytes, the format says %d"
                .formatted(part.name(), block, memory.blockBytes(block), part.payloadBytes()));
      }
    }
  }
}

package io.kvasir.core.connector;

import io.kvasir.api.BlockMemory;
import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.GroupedBlocks;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.Region;
import io.kvasir.api.SegmentBlocks;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.TransferPath;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Copies between frames and memory that the host can address: one copy per contiguous piece. */
final class HostPath implements TransferPath {
  @Override
  public boolean accepts(BlockMemory memory) {
    return switch (memory) {
      case PagedBlocks paged ->
          paged.planes().stream().allMatch(p -> p.region() instanceof Region.Host);
      case SegmentBlocks _ -> true;
      case GroupedBlocks _ -> false; // its parts are asked for one by one
    };
  }

  @Override
  public void gather(
      BlockMemory from,
      int firstBlock,
      List<MemorySegment> payloads,
      Fence ready,
      Deadline deadline)
      throws StoreException {
    if (ready instanceof Fence.Event event) {
      throw new StoreException(
          StoreException.Kind.IO,
          "event %d of a device: memory of the host has no events".formatted(event.handle()));
    }
    for (int i = 0; i < payloads.size(); i++) {
      copy(from, firstBlock + i, payloads.get(i), true);
    }
  }

  @Override
  public void scatter(
      List<MemorySegment> payloads, BlockMemory to, int firstBlock, Deadline deadline) {
    for (int i = 0; i < payloads.size(); i++) {
      copy(to, firstBlock + i, payloads.get(i), false);
    }
  }

  private static void copy(BlockMemory memory, int block, MemorySegment payload, boolean gather) {
    switch (memory) {
      case PagedBlocks paged -> copyPaged(paged, paged.row(block), payload, gather);
      case SegmentBlocks list -> {
        long at = 0;
        for (MemorySegment segment : list.blocks().get(block - list.firstBlock())) {
          at = copy(segment, 0, payload, at, segment.byteSize(), gather);
        }
      }
      case GroupedBlocks _ -> throw new IllegalArgumentException("grouped memory");
    }
  }

  private static void copyPaged(PagedBlocks paged, int row, MemorySegment payload, boolean gather) {
    long at = 0;
    for (PagedBlocks.Plane plane : paged.planes()) {
      MemorySegment region = ((Region.Host) plane.region()).memory();
      if (plane.pieces() == 1 || plane.pieceStride() == plane.pieceBytes()) {
        at = copy(region, plane.at(row, 0), payload, at, plane.bytes(), gather);
      } else {
        for (int piece = 0; piece < plane.pieces(); piece++) {
          at = copy(region, plane.at(row, piece), payload, at, plane.pieceBytes(), gather);
        }
      }
    }
  }

  private static long copy(
      MemorySegment memory,
      long offset,
      MemorySegment payload,
      long at,
      long bytes,
      boolean gather) {
    if (gather) {
      MemorySegment.copy(memory, offset, payload, at, bytes);
    } else {
      MemorySegment.copy(payload, at, memory, offset, bytes);
    }
    return at + bytes;
  }
}

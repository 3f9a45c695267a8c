package io.kvasir.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.kvasir.api.PagedBlocks;
import io.kvasir.api.Region;
import io.kvasir.cuda.standin.StandInGpu;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * An engine's paged cache on the stand-in: a region for each plane, filled with chance, and the
 * same bytes on the host, from which each payload is computed without any code of the path.
 */
final class DeviceRows {
  final StandInGpu gpu;
  final int rows;
  final List<PagedBlocks.Plane> planes = new ArrayList<>();
  final List<byte[]> images = new ArrayList<>();
  private final SplittableRandom random;

  DeviceRows(StandInGpu gpu, int rows, SplittableRandom random) {
    this.gpu = gpu;
    this.rows = rows;
    this.random = random;
  }

  /** Planes of one piece a row, each in a region of its own. */
  static DeviceRows scattered(
      StandInGpu gpu, int planes, int pieceBytes, int rows, SplittableRandom random) {
    DeviceRows out = new DeviceRows(gpu, rows, random);
    for (int p = 0; p < planes; p++) {
      out.plane(16 * random.nextInt(4), pieceBytes + 16L * random.nextInt(2), 1, 0, pieceBytes);
    }
    return out;
  }

  /** Blocks that are one range each. */
  static DeviceRows contiguous(
      StandInGpu gpu, int planes, int pieceBytes, int rows, SplittableRandom random) {
    DeviceRows out = new DeviceRows(gpu, rows, random);
    int stride = planes * pieceBytes + 64;
    byte[] image = new byte[rows * stride];
    random.nextBytes(image);
    Region.Device region = gpu.allocate(image.length);
    gpu.write(region.address(), image);
    for (int p = 0; p < planes; p++) {
      out.planes.add(
          new PagedBlocks.Plane(region, (long) p * pieceBytes, stride, 1, pieceBytes, pieceBytes));
      out.images.add(image);
    }
    return out;
  }

  void plane(int offset, long rowStride, int pieces, long pieceStride, int pieceBytes) {
    byte[] image = new byte[offset + (int) (rows * rowStride)];
    random.nextBytes(image);
    Region.Device region = gpu.allocate(image.length);
    gpu.write(region.address(), image);
    planes.add(new PagedBlocks.Plane(region, offset, rowStride, pieces, pieceStride, pieceBytes));
    images.add(image);
  }

  int payloadBytes() {
    return (int) planes.stream().mapToLong(PagedBlocks.Plane::bytes).sum();
  }

  PagedBlocks blocks(int... rows) {
    return new PagedBlocks(0, planes, rows);
  }

  /** {@return rows in an order of chance} */
  int[] anyRows(int count) {
    List<Integer> all = new ArrayList<>();
    for (int r = 0; r < rows; r++) {
      all.add(random.nextInt(all.size() + 1), r);
    }
    return all.stream().limit(count).mapToInt(r -> r).toArray();
  }

  byte[] payload(int row) {
    byte[] out = new byte[payloadBytes()];
    forEachPiece(
        row, (plane, at, to, bytes) -> System.arraycopy(images.get(plane), at, out, to, bytes));
    return out;
  }

  /** Puts a payload where a scatter must put it. */
  void put(int row, byte[] payload) {
    forEachPiece(
        row, (plane, at, to, bytes) -> System.arraycopy(payload, to, images.get(plane), at, bytes));
  }

  /** Lets the engine's kernels write a row, later. */
  void write(int row, byte[] payload) {
    put(row, payload);
    forEachPiece(
        row,
        (plane, at, to, bytes) -> {
          Region.Device region = (Region.Device) planes.get(plane).region();
          gpu.write(region.address() + at, java.util.Arrays.copyOfRange(payload, to, to + bytes));
        });
  }

  private interface Piece {
    void at(int plane, int inRegion, int inPayload, int bytes);
  }

  private void forEachPiece(int row, Piece piece) {
    int at = 0;
    for (int p = 0; p < planes.size(); p++) {
      PagedBlocks.Plane plane = planes.get(p);
      for (int i = 0; i < plane.pieces(); i++) {
        piece.at(p, (int) plane.at(row, i), at, (int) plane.pieceBytes());
        at += (int) plane.pieceBytes();
      }
    }
  }

  /** Fails unless the device holds what the images say, and nothing else. */
  void check() {
    Set<Region.Device> checked = new HashSet<>(); // planes may share one
    for (int p = 0; p < planes.size(); p++) {
      Region.Device region = (Region.Device) planes.get(p).region();
      if (checked.add(region)) {
        assertArrayEquals(
            images.get(p), gpu.read(region.address(), images.get(p).length), "plane " + p);
      }
    }
  }
}

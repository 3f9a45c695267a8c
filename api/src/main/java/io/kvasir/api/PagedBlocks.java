package io.kvasir.api;

import java.util.List;

/**
 * Blocks of a paged cache: planes (K and V of each layer), rows in each plane, and a block table.
 *
 * @param firstBlock chain index of the first block
 * @param planes the planes in payload order
 * @param rows block table: row of block {@code firstBlock + i}; do not change it while a transfer
 *     runs
 */
@SuppressWarnings("ArrayRecordComponent") // a block table is compared by nobody
public record PagedBlocks(int firstBlock, List<Plane> planes, int[] rows) implements BlockMemory {
  /**
   * One plane of a paged cache. Row {@code r} begins at {@code offset + r × rowStride}; piece
   * {@code p} of it at {@code p × pieceStride} from there.
   *
   * @param region the memory that holds the plane
   * @param offset bytes from the start of the region
   * @param rowStride bytes from one row to the next
   * @param pieces pieces of a row
   * @param pieceStride bytes from one piece to the next
   * @param pieceBytes bytes of a piece
   */
  public record Plane(
      Region region, long offset, long rowStride, int pieces, long pieceStride, long pieceBytes) {
    /** {@return a plane whose rows are contiguous} */
    public static Plane of(Region region, long offset, long rowBytes) {
      return new Plane(region, offset, rowBytes, 1, rowBytes, rowBytes);
    }

    /** {@return the bytes of a row in a payload} */
    public long bytes() {
      return pieces * pieceBytes;
    }

    /** {@return the offset of a piece of a row from the start of the region} */
    public long at(int row, int piece) {
      return offset + row * rowStride + piece * pieceStride;
    }
  }

  /** Copies table and planes, and checks that every row lies in its region. */
  public PagedBlocks {
    if (firstBlock < 0) {
      throw new KvasirException("first block " + firstBlock + "; a chain begins at 0");
    }
    planes = List.copyOf(planes);
    rows = rows.clone();
    for (Plane plane : planes) {
      for (int row : rows) {
        long first = plane.at(row, 0);
        long end = plane.at(row, plane.pieces() - 1) + plane.pieceBytes();
        if (row < 0 || first < 0 || end > plane.region().bytes()) {
          throw new KvasirException(
              "row %d at %d … %d lies outside its region of %d bytes"
                  .formatted(row, first, end, plane.region().bytes()));
        }
      }
    }
  }

  @Override
  public int endBlock() {
    return firstBlock + rows.length;
  }

  /** {@return the row of a block} */
  public int row(int block) {
    return rows[block - firstBlock];
  }

  @Override
  public long blockBytes(int block) {
    java.util.Objects.checkIndex(block - firstBlock, rows.length);
    return planes.stream().mapToLong(Plane::bytes).sum();
  }
}

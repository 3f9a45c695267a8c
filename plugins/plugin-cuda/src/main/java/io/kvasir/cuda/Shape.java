package io.kvasir.cuda;

import io.kvasir.api.PagedBlocks;
import io.kvasir.api.Region;
import java.util.List;

/**
 * How the blocks of a paged cache lie in a device's memory.
 *
 * @param words six for each plane, as {@code kernels.cu} says: address of row 0, bytes from row to
 *     row, from piece to piece, and of a piece, pieces of a row, place in a payload
 * @param planes the number of planes
 * @param payloadBytes bytes of a block
 * @param pieces pieces of a block that one copy can move
 * @param smallestPiece bytes of the smallest of them
 * @param rowBytes bytes of the largest row of a plane
 * @param contiguous whether each block is one range of memory
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record Shape(
    long[] words,
    int planes,
    long payloadBytes,
    int pieces,
    long smallestPiece,
    long rowBytes,
    boolean contiguous) {
  static final int WORDS = 6;

  static Shape of(PagedBlocks memory) {
    List<PagedBlocks.Plane> planes = memory.planes();
    long[] words = new long[planes.size() * WORDS];
    long payload = 0;
    long pieces = 0;
    long smallest = Long.MAX_VALUE;
    long largest = 0;
    boolean contiguous = true;
    for (int i = 0; i < planes.size(); i++) {
      PagedBlocks.Plane plane = planes.get(i);
      boolean whole = plane.pieces() == 1 || plane.pieceStride() == plane.pieceBytes();
      int at = i * WORDS;
      words[at] = ((Region.Device) plane.region()).address() + plane.offset();
      words[at + 1] = plane.rowStride();
      words[at + 2] = whole ? plane.bytes() : plane.pieceStride();
      words[at + 3] = whole ? plane.bytes() : plane.pieceBytes();
      words[at + 4] = whole ? 1 : plane.pieces();
      words[at + 5] = payload;
      contiguous &= whole && words[at + 1] == words[1] && words[at] == words[0] + payload;
      payload += plane.bytes();
      pieces += words[at + 4];
      smallest = Math.min(smallest, words[at + 3]);
      largest = Math.max(largest, plane.bytes());
    }
    return new Shape(
        words,
        planes.size(),
        payload,
        Math.toIntExact(pieces),
        smallest,
        largest,
        contiguous && payload > 0);
  }

  /** What is done with each piece of a block. */
  @FunctionalInterface
  interface Piece {
    void at(long device, long inPayload, long bytes) throws CudaException;
  }

  /** {@return where a plane begins in a payload; of the plane behind the last, where it ends} */
  long place(int plane) {
    return plane == planes ? payloadBytes : words[plane * WORDS + 5];
  }

  /** Goes over the pieces of a block's planes from one to before another, in payload order. */
  void forEachPiece(int row, int first, int end, Piece piece) throws CudaException {
    for (int at = first * WORDS; at < end * WORDS; at += WORDS) {
      long device = words[at] + row * words[at + 1];
      for (long p = 0; p < words[at + 4]; p++) {
        piece.at(device + p * words[at + 2], words[at + 5] + p * words[at + 3], words[at + 3]);
      }
    }
  }
}

package io.kvasir.examples.jlama;

import com.github.tjake.jlama.model.AbstractModel;
import com.github.tjake.jlama.tensor.AbstractTensor;
import com.github.tjake.jlama.tensor.KvBufferCache;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The keys and values of one sequence where Jlama keeps them, cut into blocks.
 *
 * <p>Jlama keeps a sequence in pages outside the heap; a page holds some layers of some positions.
 * Within it, a <em>plane</em> (keys or values of one layer) has one row per position, {@code
 * kvLength} numbers wide. A block of Kvasir is the rows of its tokens from all planes, in the order
 * {@code [layer][K, V][token][kv head][dimension]}. Where a page ends inside a block, a plane gives
 * two segments or more.
 *
 * <p>All views are without a copy, and valid until {@link #close()}. Not thread-safe.
 */
final class KvPages implements AutoCloseable {
  private final KvBufferCache.KvBuffer buffer;
  private final int layers;
  private final int contextLength;
  private final int blockTokens;
  private int reserved;

  /**
   * Takes pages that lie in memory only. Jlama's other kind, {@code getKvBuffer(session)}, maps
   * files that it leaves behind in the temporary directory.
   */
  KvPages(AbstractModel model, KvBufferCache cache, int blockTokens) {
    this.buffer = cache.getEphemeralKvBuffer();
    this.layers = model.getConfig().numberOfLayers;
    this.contextLength = model.getConfig().contextLength;
    this.blockTokens = blockTokens;
  }

  /** What Jlama's forward pass writes to. */
  KvBufferCache.KvBuffer buffer() {
    return buffer;
  }

  /**
   * Creates the pages of the first {@code tokens} positions. One touch per page is enough, and it
   * goes by position: {@code getKeyTensorsUptoPosition} would create a missing page too, but under
   * the name of another.
   */
  void reserve(int tokens) {
    if (tokens > contextLength) {
      throw new IllegalArgumentException(
          "%d tokens do not fit the model's context of %d; shorten the prompt"
              .formatted(tokens, contextLength));
    }
    if (tokens <= reserved) {
      return;
    }
    for (int layer = 0; layer < layers; layer++) {
      buffer.getKeyTensorForPosition(layer, 0);
      int rows = buffer.getKeyTensorsUptoPosition(layer, 0)[0].shape().first();
      for (int position = rows; position < tokens; position += rows) {
        buffer.getKeyTensorForPosition(layer, position);
      }
    }
    reserved = tokens;
  }

  /** The segments of the first {@code blocks} blocks, a list for each. */
  List<List<MemorySegment>> blocks(int blocks) {
    reserve(blocks * blockTokens);
    List<List<MemorySegment>> result = new ArrayList<>(blocks);
    for (int block = 0; block < blocks; block++) {
      result.add(new ArrayList<>(2 * layers));
    }
    for (int layer = 0; layer < layers; layer++) {
      int last = Math.max(0, blocks * blockTokens - 1);
      addPlane(result, buffer.getKeyTensorsUptoPosition(layer, last));
      addPlane(result, buffer.getValTensorsUptoPosition(layer, last));
    }
    return result;
  }

  private void addPlane(List<List<MemorySegment>> blocks, AbstractTensor<?, ?>[] pages) {
    int rowsPerPage = pages[0].shape().first();
    long rowBytes = (long) pages[0].shape().last() * pages[0].dType().size();
    for (int block = 0; block < blocks.size(); block++) {
      int end = (block + 1) * blockTokens;
      for (int position = block * blockTokens; position < end; ) {
        int row = position % rowsPerPage;
        int rows = Math.min(end - position, rowsPerPage - row);
        MemorySegment page = pages[position / rowsPerPage].getMemorySegment();
        blocks.get(block).add(page.asSlice(row * rowBytes, rows * rowBytes));
        position += rows;
      }
    }
  }

  @Override
  public void close() {
    buffer.close();
  }
}

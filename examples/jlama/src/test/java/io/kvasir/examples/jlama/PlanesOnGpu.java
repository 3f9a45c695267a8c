package io.kvasir.examples.jlama;

import io.kvasir.api.BlockMemory;
import io.kvasir.api.Completion;
import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.Gauges;
import io.kvasir.api.KvConnector;
import io.kvasir.api.KvRequest;
import io.kvasir.api.LoadResult;
import io.kvasir.api.MetricsListener;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.PrefixMatch;
import io.kvasir.api.Region;
import io.kvasir.api.SaveResult;
import io.kvasir.api.SegmentBlocks;
import io.kvasir.api.Transfer;
import io.kvasir.api.WeightUpdate;
import io.kvasir.api.identity.ContentItem;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.store.StoreHealth;
import io.kvasir.cuda.standin.StandInGpu;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A connector whose engine has its planes on a GPU: uploads Jlama's blocks to a paged cache there
 * before they are saved, and downloads them after they are loaded. The GPU is the driver stand-in.
 */
record PlanesOnGpu(KvConnector connector, StandInGpu gpu, int planes) implements KvConnector {
  @Override
  public KvRequest request(RequestScope scope, int[] tokens, List<ContentItem> items) {
    return new Request(connector.request(scope, tokens, items));
  }

  /** A paged cache with a region for each plane, and the rows in an order that is nobody's. */
  private PagedBlocks cache(SegmentBlocks blocks, int count) {
    long rowBytes = blocks.blockBytes(0) / planes;
    List<PagedBlocks.Plane> out = new ArrayList<>();
    for (int p = 0; p < planes; p++) {
      Region region = gpu.allocate(rowBytes * (count + 1));
      out.add(PagedBlocks.Plane.of(region, rowBytes, rowBytes));
    }
    int[] rows = IntStream.range(0, count).map(i -> (i * 7 + 3) % count).toArray();
    boolean all = Arrays.stream(rows).distinct().count() == count;
    return new PagedBlocks(0, out, all ? rows : IntStream.range(0, count).toArray());
  }

  private static long address(PagedBlocks.Plane plane, int row) {
    return ((Region.Device) plane.region()).address() + plane.at(row, 0);
  }

  private void upload(SegmentBlocks blocks, PagedBlocks cache) {
    for (int block = 0; block < cache.endBlock(); block++) {
      byte[] bytes = new byte[(int) blocks.blockBytes(block)];
      int at = 0;
      for (MemorySegment piece : blocks.blocks().get(block)) {
        MemorySegment.copy(piece, ValueLayout.JAVA_BYTE, 0, bytes, at, (int) piece.byteSize());
        at += (int) piece.byteSize();
      }
      int row = bytes.length / planes;
      for (int p = 0; p < planes; p++) {
        byte[] piece = Arrays.copyOfRange(bytes, p * row, (p + 1) * row);
        gpu.write(address(cache.planes().get(p), cache.row(block)), piece);
      }
    }
  }

  private void download(PagedBlocks cache, SegmentBlocks blocks, int count) {
    gpu.synchronize(gpu.stream());
    for (int block = 0; block < count; block++) {
      byte[] bytes = new byte[(int) blocks.blockBytes(block)];
      int row = bytes.length / planes;
      for (int p = 0; p < planes; p++) {
        byte[] piece = gpu.peek(address(cache.planes().get(p), cache.row(block)), row);
        System.arraycopy(piece, 0, bytes, p * row, row);
      }
      int at = 0;
      for (MemorySegment piece : blocks.blocks().get(block)) {
        MemorySegment.copy(bytes, at, piece, ValueLayout.JAVA_BYTE, 0, (int) piece.byteSize());
        at += (int) piece.byteSize();
      }
    }
  }

  private final class Request implements KvRequest {
    private final KvRequest request;

    Request(KvRequest request) {
      this.request = request;
    }

    @Override
    public long id() {
      return request.id();
    }

    @Override
    public void append(int token) {
      request.append(token);
    }

    @Override
    public long tokens() {
      return request.tokens();
    }

    @Override
    public Transfer<PrefixMatch> lookup(Deadline deadline) {
      return request.lookup(deadline);
    }

    @Override
    public Transfer<PrefixMatch> lookup() {
      return request.lookup();
    }

    @Override
    public Transfer<LoadResult> load(PrefixMatch match, BlockMemory memory, Deadline deadline) {
      SegmentBlocks blocks = (SegmentBlocks) memory;
      int count = match.tokens() / JlamaEngine.BLOCK_TOKENS;
      PagedBlocks cache = cache(blocks, count);
      LoadResult result = request.load(match, cache, deadline).await(deadline);
      download(cache, blocks, result.tokens() / JlamaEngine.BLOCK_TOKENS);
      return new Ended<>(result);
    }

    @Override
    public Transfer<LoadResult> load(PrefixMatch match, BlockMemory memory) {
      return load(match, memory, Deadline.never());
    }

    @Override
    public Transfer<SaveResult> save(BlockMemory memory, Fence ready) {
      SegmentBlocks blocks = (SegmentBlocks) memory;
      PagedBlocks cache = cache(blocks, blocks.endBlock());
      upload(blocks, cache);
      return request.save(cache, Fence.event(gpu.record()));
    }

    @Override
    public void close() {
      request.close();
    }
  }

  private record Ended<R>(R result) implements Transfer<R> {
    @Override
    public long id() {
      return 0;
    }

    @Override
    public boolean done() {
      return true;
    }

    @Override
    public R await(Deadline deadline) {
      return result;
    }

    @Override
    public void cancel() {}
  }

  @Override
  public int poll(Consumer<? super Completion> consumer) {
    return connector.poll(consumer);
  }

  @Override
  public void onWakeup(Runnable wakeup) {
    connector.onWakeup(wakeup);
  }

  @Override
  public WeightUpdate beginWeightUpdate(Deadline deadline) {
    return connector.beginWeightUpdate(deadline);
  }

  @Override
  public NamespaceManifest namespace() {
    return connector.namespace();
  }

  @Override
  public Gauges gauges() {
    return connector.gauges();
  }

  @Override
  public StoreHealth health() {
    return connector.health();
  }

  @Override
  public void listen(MetricsListener listener) {
    connector.listen(listener);
  }

  @Override
  public void close() {
    connector.close();
  }
}

package io.kvasir.examples.jlama;

import io.kvasir.api.BlockMemory;
import io.kvasir.api.BlockStatus;
import io.kvasir.api.Completion;
import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.Gauges;
import io.kvasir.api.KvConnector;
import io.kvasir.api.KvRequest;
import io.kvasir.api.LoadResult;
import io.kvasir.api.MetricsListener;
import io.kvasir.api.PrefixMatch;
import io.kvasir.api.SaveResult;
import io.kvasir.api.SegmentBlocks;
import io.kvasir.api.Transfer;
import io.kvasir.api.WeightUpdate;
import io.kvasir.api.identity.ContentItem;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.store.StoreHealth;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A connector that keeps blocks by their tokens in a map, so that a test sees what the engine
 * stores and can change it. It knows one request at a time and does everything at submit.
 */
final class BlocksInMemory implements KvConnector {
  /** Blocks by the tokens up to their end. */
  final Map<List<Integer>, byte[]> blocks = new HashMap<>();

  private final int blockTokens;

  BlocksInMemory(int blockTokens) {
    this.blockTokens = blockTokens;
  }

  @Override
  public KvRequest request(RequestScope scope, int[] tokens, List<ContentItem> items) {
    return new Request(tokens);
  }

  private final class Request implements KvRequest {
    private final List<Integer> tokens;

    Request(int[] tokens) {
      this.tokens = new ArrayList<>(Arrays.stream(tokens).boxed().toList());
    }

    private List<Integer> key(int block) {
      return List.copyOf(tokens.subList(0, (block + 1) * blockTokens));
    }

    @Override
    public long id() {
      return 1;
    }

    @Override
    public void append(int token) {
      tokens.add(token);
    }

    @Override
    public long tokens() {
      return tokens.size();
    }

    @Override
    public Transfer<PrefixMatch> lookup(Deadline deadline) {
      int found = 0;
      while ((found + 1) * blockTokens < tokens.size() && blocks.containsKey(key(found))) {
        found++;
      }
      return new Done<>(new PrefixMatch(id(), found * blockTokens, true, BlockStatus.OK));
    }

    @Override
    public Transfer<PrefixMatch> lookup() {
      return lookup(Deadline.never());
    }

    @Override
    public Transfer<LoadResult> load(PrefixMatch match, BlockMemory memory, Deadline deadline) {
      int count = match.tokens() / blockTokens;
      for (int block = 0; block < count; block++) {
        MemorySegment stored = MemorySegment.ofArray(blocks.get(key(block)));
        long offset = 0;
        for (MemorySegment piece : ((SegmentBlocks) memory).blocks().get(block)) {
          MemorySegment.copy(stored, offset, piece, 0, piece.byteSize());
          offset += piece.byteSize();
        }
      }
      return new Done<>(new LoadResult(match.tokens(), List.of(allOk(count))));
    }

    @Override
    public Transfer<LoadResult> load(PrefixMatch match, BlockMemory memory) {
      return load(match, memory, Deadline.never());
    }

    @Override
    public Transfer<SaveResult> save(BlockMemory memory, Fence ready) {
      List<List<MemorySegment>> from = ((SegmentBlocks) memory).blocks();
      for (int block = 0; block < from.size(); block++) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (MemorySegment piece : from.get(block)) {
          bytes.writeBytes(piece.toArray(ValueLayout.JAVA_BYTE));
        }
        blocks.putIfAbsent(key(block), bytes.toByteArray());
      }
      return new Done<>(new SaveResult(List.of(allOk(from.size()))));
    }

    @Override
    public void close() {}
  }

  private static LoadResult.Part allOk(int count) {
    return new LoadResult.Part(0, 0, 0, Collections.nCopies(count, BlockStatus.OK));
  }

  private record Done<R>(R result) implements Transfer<R> {
    @Override
    public long id() {
      return 1;
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
    return 0;
  }

  @Override
  public void onWakeup(Runnable wakeup) {}

  @Override
  public WeightUpdate beginWeightUpdate(Deadline deadline) {
    throw new UnsupportedOperationException("the test's connector has one namespace");
  }

  @Override
  public NamespaceManifest namespace() {
    throw new UnsupportedOperationException("the test's connector has no manifest");
  }

  @Override
  public Gauges gauges() {
    throw new UnsupportedOperationException("the test's connector counts nothing");
  }

  @Override
  public StoreHealth health() {
    throw new UnsupportedOperationException("the test's connector has no store");
  }

  @Override
  public void listen(MetricsListener listener) {}

  @Override
  public void close() {}
}

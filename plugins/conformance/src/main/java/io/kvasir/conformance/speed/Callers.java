package io.kvasir.conformance.speed;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.Frame;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Threads that call a store with batches, each with frames of its own, as the core's workers do.
 */
public final class Callers implements AutoCloseable {
  private final List<List<Frame>> frames;
  private final ExecutorService threads;

  /** What each batch goes through. */
  @FunctionalInterface
  public interface Call {
    /**
     * Calls the store.
     *
     * @throws Exception any failure; it ends the pass
     */
    void on(Blocks batch) throws Exception;
  }

  /** A caller for each list of frames, which holds a batch. */
  public Callers(List<List<Frame>> frames) {
    this.frames = List.copyOf(frames);
    this.threads =
        Executors.newFixedThreadPool(frames.size(), Thread.ofPlatform().daemon().factory());
  }

  /**
   * Puts each batch, every block stamped with its key at both ends.
   *
   * @throws Exception what a call threw
   */
  public void put(List<BlockKeys> batches, Call put) throws Exception {
    each(
        batches,
        batch -> {
          for (int i = 0; i < batch.count(); i++) {
            stamp(batch, i);
          }
          put.on(batch);
        });
  }

  /**
   * Gets each batch and looks at the stamps.
   *
   * @throws Exception what a call threw; an IOException if a block is another's
   */
  public void get(List<BlockKeys> batches, Call get) throws Exception {
    each(
        batches,
        batch -> {
          for (int i = 0; i < batch.count(); i++) {
            set(batch, i, 0); // what was put may lie there yet
          }
          get.on(batch);
          for (int i = 0; i < batch.count(); i++) {
            checkStamp(batch, i);
          }
        });
  }

  /**
   * Calls the store with each batch, whatever lies in its frames. When it returns or throws, no
   * call is running, unless it was interrupted.
   *
   * @throws Exception what the first call to fail threw; no call begins after it
   */
  public void each(List<BlockKeys> batches, Call call) throws Exception {
    AtomicInteger next = new AtomicInteger();
    AtomicReference<Exception> failure = new AtomicReference<>();
    List<Future<?>> running = new ArrayList<>();
    for (List<Frame> mine : frames) {
      running.add(
          threads.submit(
              () -> {
                try {
                  for (int i;
                      failure.get() == null && (i = next.getAndIncrement()) < batches.size(); ) {
                    call.on(new Blocks(batches.get(i), mine));
                  }
                } catch (Throwable e) { // also a checking store's error
                  failure.compareAndSet(
                      null, e instanceof Exception x ? x : new ExecutionException(e));
                }
              }));
    }
    for (Future<?> caller : running) {
      caller.get();
    }
    if (failure.get() != null) {
      throw failure.get();
    }
  }

  /** Writes a block's key at both ends of its payload. */
  public static void stamp(Blocks batch, int block) {
    set(batch, block, stampOf(batch, block));
  }

  private static void set(Blocks batch, int block, long stamp) {
    MemorySegment payload = batch.frame(block).payload();
    payload.set(JAVA_LONG, 0, stamp);
    payload.set(JAVA_LONG, payload.byteSize() - Long.BYTES, stamp);
  }

  /**
   * Looks whether a block's key is at both ends of its payload.
   *
   * @throws IOException if another's is
   */
  public static void checkStamp(Blocks batch, int block) throws IOException {
    MemorySegment payload = batch.frame(block).payload();
    long stamp = stampOf(batch, block);
    if (payload.get(JAVA_LONG, 0) != stamp
        || payload.get(JAVA_LONG, payload.byteSize() - Long.BYTES) != stamp) {
      throw new IOException("block %d of %s holds another's bytes".formatted(block, batch.keys()));
    }
  }

  private static long stampOf(Blocks batch, int block) {
    return MemorySegment.ofArray(batch.keys().hash(block)).get(JAVA_LONG_UNALIGNED, 0);
  }

  @Override
  public void close() {
    threads.close();
  }
}

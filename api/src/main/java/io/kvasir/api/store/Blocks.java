package io.kvasir.api.store;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.identity.BlockKeys;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Blocks on their way to or from a store: keys, a frame each, and a status each. Each status is set
 * by one thread at a time; the core reads them after the call returned.
 *
 * <p>Frames are lent for the call. A store whose library cannot be stopped {@linkplain #retain
 * retains} them when it returns at its deadline.
 */
public final class Blocks {
  private final BlockKeys keys;
  private final List<Frame> frames;
  private final BlockStatus[] statuses;
  private final Throwable[] causes;
  private final AtomicInteger users = new AtomicInteger(1); // the call, and what it left behind
  private volatile Runnable whenFree = () -> {};

  /**
   * Creates blocks without a status.
   *
   * @param frames one frame per key, each with the payload size of the keys' group
   */
  public Blocks(BlockKeys keys, List<Frame> frames) {
    if (keys.count() != frames.size()) {
      throw new IllegalArgumentException(keys.count() + " keys and " + frames.size() + " frames");
    }
    for (Frame frame : frames) {
      if (frame.payloadBytes() != keys.payloadBytes()) {
        throw new IllegalArgumentException(
            "a frame of %d bytes for a block of %d bytes"
                .formatted(frame.payloadBytes(), keys.payloadBytes()));
      }
    }
    this.keys = keys;
    this.frames = List.copyOf(frames);
    this.statuses = new BlockStatus[frames.size()];
    this.causes = new Throwable[frames.size()];
  }

  /** {@return the keys} */
  public BlockKeys keys() {
    return keys;
  }

  /** {@return the number of blocks} */
  public int count() {
    return statuses.length;
  }

  /** {@return the frame of a block} */
  public Frame frame(int block) {
    return frames.get(block);
  }

  /** {@return the status of a block, or null if none was set} */
  public BlockStatus status(int block) {
    return statuses[block];
  }

  /** {@return what caused a status that is not {@code OK}, or null} */
  public Throwable cause(int block) {
    return causes[block];
  }

  /** Sets the status of a block. */
  public void set(int block, BlockStatus status) {
    set(block, status, null);
  }

  /** Sets the status of a block and what caused it. */
  public void set(int block, BlockStatus status, Throwable cause) {
    statuses[block] = status;
    causes[block] = cause;
  }

  /**
   * Performs an action on each block and sets the status that it returns; what it throws becomes
   * {@code IO}.
   */
  public void each(Action action) {
    for (int i = 0; i < statuses.length; i++) {
      try {
        set(i, action.on(i));
      } catch (Exception e) {
        set(i, BlockStatus.IO, e);
      }
    }
  }

  /** What a store does with one block. */
  @FunctionalInterface
  public interface Action {
    /**
     * {@return how it ended}
     *
     * @throws Exception any failure
     */
    BlockStatus on(int block) throws Exception;
  }

  /** Sets the status of all blocks that have none. */
  public void setRest(BlockStatus status, Throwable cause) {
    for (int i = 0; i < statuses.length; i++) {
      if (statuses[i] == null) {
        set(i, status, cause);
      }
    }
  }

  /**
   * Keeps the frames out of use after the call has returned: for a store that ended a call at its
   * deadline while its library still reads or writes them. Called before the call returns.
   *
   * @return ends it, on any thread; repeating does nothing
   */
  public Runnable retain() {
    users.incrementAndGet();
    AtomicBoolean ended = new AtomicBoolean();
    return () -> {
      if (!ended.getAndSet(true)) {
        leave();
      }
    };
  }

  /** {@return whether a call that has returned left somebody behind who still uses the frames} */
  public boolean retained() {
    return users.get() > 1;
  }

  /**
   * Says that the call has returned; called once, by whom the frames belong to.
   *
   * @param action run when nobody uses the frames any more: now, or later on any thread
   */
  public void whenFree(Runnable action) {
    whenFree = action;
    leave();
  }

  private void leave() {
    if (users.decrementAndGet() == 0) {
      whenFree.run();
    }
  }

  @Override
  public String toString() {
    return keys + " " + Arrays.toString(statuses);
  }
}

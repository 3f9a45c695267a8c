package io.kvasir.core.connector;

import io.kvasir.api.KvasirException;
import io.kvasir.api.store.Frame;
import io.kvasir.api.store.FrameSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * The frames of a connector: native memory, bounded in bytes, lent to one batch at a time. Nobody
 * waits for a frame with a thread: a borrower is called when its frames are there, loads first.
 *
 * <p>A quarantined loan belongs to a call of the store that nobody waits for any more; its frames
 * come back when the call does. Lock: this; no borrower is called under it.
 */
final class FramePool {
  private final List<Shelf> shelves = new ArrayList<>();
  private final Executor grower;
  private final Consumer<Throwable> trouble;
  private int lent;
  private int quarantined;
  private int pieces;
  private boolean closed;

  /** Somebody who asks for frames; called once, on any thread, and returns at once. */
  interface Borrower {
    void lent(Loan loan);

    void refused(Throwable cause);
  }

  /** Frames that are lent. */
  static final class Loan {
    private final Shelf shelf;
    private final List<Shelf.Slot> slots;
    private final List<Frame> frames;
    private final boolean save;
    private boolean inQuarantine;

    private Loan(Shelf shelf, List<Shelf.Slot> slots, boolean save) {
      this.shelf = shelf;
      this.slots = slots;
      this.frames = slots.stream().map(Shelf.Slot::frame).toList();
      this.save = save;
    }

    List<Frame> frames() {
      return frames;
    }
  }

  private record Wish(Shelf shelf, int count, boolean save, Borrower borrower) {}

  private record Grant(Borrower borrower, Loan loan, Throwable refusal) {
    void give() {
      if (loan == null) {
        borrower.refused(refusal);
      } else {
        borrower.lent(loan);
      }
    }
  }

  private final Deque<Wish> wishes = new ArrayDeque<>();

  /**
   * Creates an empty pool.
   *
   * @param bytes all native memory that it may use, shared evenly among the sizes of blocks
   * @param grower runs the allocation of a piece
   * @param trouble told why a piece could not be had
   * @throws KvasirException if not even a few frames fit
   */
  FramePool(
      FrameSource source, Layout layout, long bytes, Executor grower, Consumer<Throwable> trouble) {
    this.grower = grower;
    this.trouble = trouble;
    SortedMap<Long, Shelf> sizes = new TreeMap<>();
    layout.parts().forEach(p -> sizes.put(p.payloadBytes(), new Shelf(source, p.payloadBytes())));
    long need = sizes.values().stream().mapToLong(s -> s.stride() * Shelf.LEAST).max().orElse(0);
    for (Shelf shelf : sizes.values()) {
      if (!shelf.limit(bytes / sizes.size())) {
        throw new KvasirException(
            "connector.frames: %d bytes are too few for frames of %d bytes; give at least %d"
                .formatted(bytes, shelf.stride(), need * sizes.size()));
      }
      shelves.add(shelf);
    }
  }

  /** {@return how many blocks of that size travel together at most} */
  int batch(long payloadBytes, int most) {
    return Math.max(1, Math.min(most, shelf(payloadBytes).most() / 32));
  }

  private Shelf shelf(long payloadBytes) {
    for (Shelf shelf : shelves) {
      if (shelf.payloadBytes() == payloadBytes) {
        return shelf;
      }
    }
    throw new IllegalArgumentException("no frames of " + payloadBytes + " bytes");
  }

  /** Allocates the first piece of each size in the background. */
  void warm() {
    for (Shelf shelf : shelves) {
      synchronized (this) {
        if (!shelf.beginGrowing()) {
          continue;
        }
      }
      grower.execute(() -> grow(shelf));
    }
  }

  void take(long payloadBytes, int count, boolean save, Borrower borrower) {
    Wish wish = new Wish(shelf(payloadBytes), count, save, borrower);
    synchronized (this) {
      wishes.addLast(wish);
    }
    dispatch();
  }

  /** {@return whether the borrower was waiting; it is not called any more then} */
  synchronized boolean forget(Borrower borrower) {
    return wishes.removeIf(w -> w.borrower.equals(borrower));
  }

  void giveBack(Loan loan) {
    List<Shelf.Piece> free = new ArrayList<>();
    synchronized (this) {
      int count = loan.slots.size();
      if (loan.inQuarantine) {
        quarantined -= count;
      } else {
        lent -= count;
      }
      loan.shelf.giveBack(loan.slots, loan.save);
      if (closed) {
        free = loan.shelf.takeUnused();
        pieces -= free.size();
      }
    }
    free(loan.shelf, free);
    dispatch();
  }

  /** Counts the frames of a loan as quarantined until they come back. */
  synchronized void quarantine(Loan loan) {
    if (!loan.inQuarantine) {
      loan.inQuarantine = true;
      quarantined += loan.slots.size();
      lent -= loan.slots.size();
    }
  }

  /** {@return whether more than a quarter of the frames is quarantined} */
  synchronized boolean quarantineFull() {
    return quarantined > shelves.stream().mapToInt(Shelf::most).sum() / 4;
  }

  private void dispatch() {
    List<Grant> grants = new ArrayList<>();
    List<Shelf> growing = new ArrayList<>();
    synchronized (this) {
      grant(false, grants, growing);
      grant(true, grants, growing);
    }
    grants.forEach(Grant::give);
    growing.forEach(shelf -> grower.execute(() -> grow(shelf)));
  }

  /** Grants the wishes of loads or of saves, each shelf in order. */
  private void grant(boolean saves, List<Grant> grants, List<Shelf> growing) {
    List<Shelf> short_ = new ArrayList<>();
    for (var i = wishes.iterator(); i.hasNext(); ) {
      Wish wish = i.next();
      if (short_.size() == shelves.size()) {
        return;
      }
      if (wish.save != saves || short_.contains(wish.shelf)) {
        continue;
      }
      if (closed || wish.count > wish.shelf.most()) {
        grants.add(new Grant(wish.borrower, null, wish.shelf.trouble()));
        i.remove();
      } else if (wish.shelf.has(wish.count, saves)) {
        Loan loan = new Loan(wish.shelf, wish.shelf.take(wish.count, saves), saves);
        lent += wish.count;
        grants.add(new Grant(wish.borrower, loan, null));
        i.remove();
      } else {
        short_.add(wish.shelf);
        if (wish.shelf.beginGrowing()) {
          growing.add(wish.shelf);
        }
      }
    }
  }

  private void grow(Shelf shelf) {
    Shelf.Piece piece = null;
    Throwable failure = null;
    try {
      piece = shelf.allocate();
    } catch (Throwable t) {
      failure = t;
      trouble.accept(t);
    }
    boolean late;
    synchronized (this) {
      late = closed && piece != null;
      shelf.endGrowing(late ? null : piece, failure);
      pieces += piece == null || late ? 0 : 1;
    }
    if (late) {
      free(shelf, List.of(piece));
    }
    dispatch();
  }

  private void free(Shelf shelf, List<Shelf.Piece> pieces) {
    for (Shelf.Piece piece : pieces) {
      try {
        shelf.free(piece);
      } catch (Throwable t) {
        trouble.accept(t);
      }
    }
  }

  synchronized int lent() {
    return lent;
  }

  synchronized int quarantined() {
    return quarantined;
  }

  /** {@return the pieces of native memory that are allocated} */
  synchronized int pieces() {
    return pieces;
  }

  /** Frees every piece of which no frame is lent; the others are freed as theirs come back. */
  void close() {
    for (Shelf shelf : shelves) {
      List<Shelf.Piece> free;
      synchronized (this) {
        closed = true;
        free = shelf.takeUnused();
        pieces -= free.size();
      }
      free(shelf, free);
    }
    dispatch();
  }
}

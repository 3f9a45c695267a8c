package io.kvasir.plugin.mooncake;

import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/**
 * A handle of the library and the guard around it: set up once, never touched once it is closed,
 * and destroyed when the last call has left it.
 *
 * <p>Lock: this; no call of the library is made under it.
 */
final class Session {
  private final Abi abi;
  private final long handle;
  private boolean setUp;
  private boolean closed;
  private boolean destroyed;
  private int inside;
  private Thread destroyer;

  private Session(Abi abi, long handle) {
    this.abi = abi;
    this.handle = handle;
  }

  /**
   * {@return a handle that is set up}
   *
   * @throws StoreException {@code UNAVAILABLE} if the master does not take it; nothing stays open
   */
  static Session open(Abi abi, ClientSettings settings) throws StoreException {
    Session session = new Session(abi, create(abi));
    boolean open = false;
    try {
      session.setUp(settings);
      open = true;
      return session;
    } finally {
      if (!open) { // a half-built one says that it is healthy
        abi.destroy(session.handle);
      }
    }
  }

  /**
   * Creates a handle on a thread that ends at once: the first one of a process blocks SIGHUP,
   * SIGINT, SIGUSR1 and SIGTERM in the calling thread, and children started from it inherit that.
   */
  private static long create(Abi abi) throws StoreException {
    long[] handle = new long[1];
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .name("kvasir-mooncake-create")
            .start(() -> handle[0] = abi.create());
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (handle[0] == 0) {
      throw new StoreException(Kind.IO, "Mooncake gave no handle: the process has no memory left");
    }
    return handle[0];
  }

  /**
   * Connects the handle to its master, once: the library would take a second time, and throw the
   * first client away with its data.
   */
  void setUp(ClientSettings s) throws StoreException {
    synchronized (this) {
      if (setUp) {
        throw new IllegalStateException("a handle is set up once; open another");
      }
      setUp = true;
    }
    int code;
    try (Arena arena = Arena.ofConfined()) {
      code =
          abi.setup(
              handle,
              Texts.utf8(arena, s.host()).address(),
              Texts.utf8(arena, s.metadata()).address(),
              s.segment(),
              s.buffer(),
              Texts.utf8(arena, s.protocolName()).address(),
              Texts.optional(arena, s.device()).address(),
              Texts.utf8(arena, s.master()).address());
    }
    if (code != Codes.OK) {
      throw new StoreException(
          Kind.UNAVAILABLE,
          "master: \"%s\" does not take this client: %s; is a mooncake_master of the library's version running there, and %s reachable? The library says more with log-level info"
              .formatted(s.master(), Codes.name(code), s.metadata()));
    }
  }

  /** {@return whether a call may begin; then {@link #leave} follows} */
  synchronized boolean enter() {
    if (closed) {
      return false;
    }
    inside++;
    return true;
  }

  /** A call has come back. */
  synchronized void leave() {
    inside--;
    notifyAll();
  }

  /** {@return the handle, for calls between {@link #enter} and {@link #leave}} */
  long handle() {
    return handle;
  }

  Abi abi() {
    return abi;
  }

  /** {@return the name that other clients know this one by: that of its segment, if it has one} */
  String name() throws StoreException {
    if (!enter()) {
      throw closed();
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(256);
      int code = abi.getHostname(handle, out.address(), out.byteSize());
      return code == Codes.OK ? out.getString(0) : "unnamed";
    } finally {
      leave();
    }
  }

  /** {@return the error of a call that came too late} */
  static StoreException closed() {
    return new StoreException(Kind.CLOSED, "the store is closed");
  }

  /**
   * Lets no call in any more and destroys the handle once the last has left.
   *
   * @return whether that was within the time; if not, it happens later
   */
  boolean close(Duration timeout) {
    long until = System.nanoTime() + timeout.toNanos();
    synchronized (this) {
      closed = true;
      if (destroyer == null) {
        destroyer =
            Thread.ofPlatform().daemon().name("kvasir-mooncake-destroy").start(this::destroy);
      }
      boolean interrupted = false;
      long left = until - System.nanoTime();
      while (!destroyed && left > 0 && !interrupted) {
        try {
          java.util.concurrent.TimeUnit.NANOSECONDS.timedWait(this, left);
        } catch (InterruptedException e) {
          interrupted = true;
          Thread.currentThread().interrupt();
        }
        left = until - System.nanoTime();
      }
      return destroyed;
    }
  }

  /** {@return how many calls are inside the library} */
  synchronized int inside() {
    return inside;
  }

  private void destroy() {
    synchronized (this) {
      while (inside > 0) {
        try {
          wait();
        } catch (InterruptedException e) {
          // nobody interrupts this thread
        }
      }
    }
    abi.destroy(handle);
    synchronized (this) {
      destroyed = true;
      notifyAll();
    }
  }
}

package io.kvasir.cuda;

import io.kvasir.api.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.HashMap;
import java.util.Map;

/**
 * The devices of this process, shared by all its stores. Nothing of CUDA is called before a store
 * is given memory of a device: then the driver is initialised, and that device opened. Closed once
 * nobody uses it and no piece is registered. Thread-safe.
 */
final class Devices {
  /** Lets the driver stand-in of the tests be used; it is refused by its name otherwise. */
  static final String STAND_IN = "kvasir.cuda.standin";

  private static final String STAND_IN_NAME = "Kvasir driver stand-in";

  private static Devices shared;

  private final Driver driver;
  private final Logger log;
  private final Pieces pieces = new Pieces();
  private final Map<Integer, Gpu> open = new HashMap<>();
  private int users;
  private int count = -1; // not asked yet
  private boolean closed;

  Devices(Driver driver, Logger log) {
    this.driver = driver;
    this.log = log;
  }

  /** {@return those of the process, with one more user} */
  static synchronized Devices acquire(SymbolLookup symbols, Logger log) {
    if (shared == null || !shared.use()) {
      shared = new Devices(Presence.bind(symbols), log);
      shared.use();
    }
    return shared;
  }

  synchronized boolean use() {
    users += closed ? 0 : 1;
    return !closed;
  }

  /** One user less. */
  synchronized void release() {
    users--;
    closeIfUnused();
  }

  private void closeIfUnused() {
    if (users == 0 && pieces.isEmpty() && !closed) {
      closed = true;
      open.values().forEach(Gpu::close);
      open.clear();
    }
  }

  /** {@return whether there is a device of that name} */
  boolean has(String device) {
    int ordinal = ordinal(device);
    return ordinal >= 0 && ordinal < count();
  }

  /** {@return the number in {@code cuda:0}; -1 of the name of another kind of device} */
  private static int ordinal(String device) {
    return device.matches("cuda:\\d{1,3}") ? Integer.parseInt(device.substring(5)) : -1;
  }

  private synchronized int count() {
    if (count < 0) {
      count = 0;
      try (CudaThread thread = new CudaThread("init")) {
        count = thread.call(this::initialise);
      } catch (CudaException e) {
        log.log(Level.WARNING, "CUDA cannot be used, and is not asked again: " + e.getMessage());
      }
    }
    return count;
  }

  private int initialise() throws CudaException {
    driver.init();
    int devices = driver.devices();
    if (devices > 0 && driver.name(0).equals(STAND_IN_NAME) && !Boolean.getBoolean(STAND_IN)) {
      log.log(Level.WARNING, "CUDA is not used: its driver is the stand-in of Kvasir's tests");
      return 0;
    }
    return devices;
  }

  /**
   * {@return an open device}
   *
   * @throws StoreException {@code UNAVAILABLE} if it cannot be opened or is lost; {@code CLOSED}
   */
  synchronized Gpu gpu(String device) throws StoreException {
    if (closed) {
      throw new StoreException(StoreException.Kind.CLOSED, device + " is closed");
    }
    Gpu gpu = open.get(ordinal(device));
    if (gpu == null) {
      try {
        gpu = Gpu.open(driver, ordinal(device), pieces, log);
      } catch (CudaException e) {
        throw new StoreException(
            StoreException.Kind.UNAVAILABLE, device + " cannot be opened: " + e.getMessage(), e);
      }
      open.put(ordinal(device), gpu);
    }
    if (gpu.lost() != null) {
      throw new StoreException(
          StoreException.Kind.UNAVAILABLE,
          "%s is lost; start the process again: %s".formatted(device, gpu.lost().getMessage()),
          gpu.lost());
    }
    return gpu;
  }

  /** Takes a piece in, and pins it if a device is open. */
  void register(MemorySegment memory) throws CudaException {
    Gpu gpu;
    Pieces.Piece piece;
    synchronized (this) {
      piece = pieces.add(memory);
      gpu = open.values().stream().findFirst().orElse(null);
    }
    if (gpu != null) {
      try {
        gpu.pin(piece);
      } catch (CudaException e) {
        gpu.failed(e);
        throw e;
      }
    }
  }

  /** Lets a piece go: afterwards it may be freed. */
  void unregister(MemorySegment memory) {
    Pieces.Piece piece = pieces.remove(memory);
    if (piece == null) {
      return;
    }
    if (piece.giveUp()) {
      Gpu gpu;
      synchronized (this) {
        gpu = open.values().stream().findFirst().orElse(null);
      }
      if (gpu != null) {
        Teardown teardown = new Teardown();
        teardown.run(() -> gpu.unpin(piece));
        teardown.failure().ifPresent(gpu::failed);
      }
    }
    synchronized (this) {
      closeIfUnused();
    }
  }

  Pieces pieces() {
    return pieces;
  }

  /** {@return whether a device is open, none is lost, and all pieces are pinned} */
  synchronized boolean ready() {
    return !open.isEmpty() && open.values().stream().allMatch(g -> g.state() == Gpu.State.READY);
  }
}

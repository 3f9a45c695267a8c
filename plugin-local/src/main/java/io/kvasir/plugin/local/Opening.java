package io.kvasir.plugin.local;

import io.kvasir.api.store.StoreException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;

/** How a directory becomes an open store: its lock, its kind of I/O, its threads. */
final class Opening {
  private Opening() {}

  static LocalStore open(
      LocalConfig config, IoMemory memory, System.Logger log, Duration closeTimeout)
      throws IOException, StoreException {
    return open(config, memory, log, closeTimeout, true);
  }

  static LocalStore open(
      LocalConfig config,
      IoMemory memory,
      System.Logger log,
      Duration closeTimeout,
      boolean mayBeDirect)
      throws IOException, StoreException {
    DiskDirectory disk = new DiskDirectory(config.directory());
    StoreFile.refuseForeign(disk);
    DirectoryLock lock = DirectoryLock.take(config.directory());
    AutoCloseable holds =
        () -> {
          disk.close();
          lock.close();
        };
    try {
      StoreFile.open(disk);
      disk.settle(mayBeDirect);
    } catch (IOException | RuntimeException | Error e) {
      release(holds, e);
      throw e;
    }
    if (!disk.isDirect()) {
      log.log(Level.WARNING, "store {0}: FALLBACK, its file system has no direct I/O", disk.path());
    }
    String mode = disk.isDirect() ? "direct" : "FALLBACK";
    LocalStore store =
        open(disk, holds, mode, config, StoreThreads.start(memory), log, closeTimeout);
    store.startChores();
    return store;
  }

  /** Opens what is there, without chores; nothing stays open after an exception. */
  static LocalStore open(
      Directory directory,
      AutoCloseable holds,
      String mode,
      LocalConfig config,
      StoreThreads threads,
      System.Logger log,
      Duration closeTimeout)
      throws IOException, StoreException {
    LocalStore store = null;
    try {
      store = new LocalStore(directory, holds, mode, config, threads, log, closeTimeout);
      store.openAll();
      return store;
    } catch (IOException | RuntimeException | StoreException | Error e) {
      if (store == null) {
        threads.close();
        release(holds, e);
      } else {
        store.abandon(e);
      }
      throw e;
    }
  }

  static void release(AutoCloseable holds, Throwable because) {
    try {
      holds.close();
    } catch (Exception e) {
      because.addSuppressed(e);
    }
  }
}

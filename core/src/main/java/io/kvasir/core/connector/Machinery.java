package io.kvasir.core.connector;

import io.kvasir.api.identity.IdentityPolicy;
import io.kvasir.api.store.Blocks;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** What the transfers of one connector work with. */
final class Machinery {
  final ConnectorSettings settings;
  final Layout layout;
  final IdentityPolicy policy;
  final boolean writable;
  final Logger log;
  final Listeners listeners;
  final Causes causes;
  final Breaker breaker;
  final Clock clock;
  final StoreCalls calls;
  final Workers loads;
  final Workers saves;
  final Counters counters;
  final Mailbox mailbox;
  final FailedKeys failed;

  /** Runs what follows on copies that a device did by itself; its thread comes and goes. */
  final Executor landed = onDemand("kvasir-landed");

  final AtomicLong ids = new AtomicLong();
  private final AtomicBoolean saidReadOnly = new AtomicBoolean();
  FramePool frames;
  Paths paths;

  Machinery(
      ConnectorSettings settings,
      Layout layout,
      IdentityPolicy policy,
      boolean writable,
      Logger log) {
    this.settings = settings;
    this.layout = layout;
    this.policy = policy;
    this.writable = writable;
    this.log = log;
    this.listeners = new Listeners(log);
    this.causes = new Causes(log);
    this.breaker = new Breaker(settings.breakerFailures(), settings.breakerDelay(), listeners);
    this.clock = new Clock(log);
    this.calls = new StoreCalls(breaker, clock, causes);
    this.loads = new Workers("load", settings.loadWorkers(), settings.stuckWorkers(), log);
    this.saves = new Workers("save", settings.saveWorkers(), settings.stuckWorkers(), log);
    this.counters = new Counters(settings.queue().bytes());
    this.mailbox = new Mailbox(log);
    this.failed = new FailedKeys(settings.failedLoadDelay());
  }

  /** {@return a daemon thread that ends when it is idle: what it runs may outlive the connector} */
  private static Executor onDemand(String name) {
    ThreadPoolExecutor one =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().name(name).daemon(true).factory());
    one.allowCoreThreadTimeOut(true);
    return one;
  }

  /** {@return how many blocks of a part travel together at most} */
  int batch(Part part) {
    return frames.batch(part.payloadBytes(), settings.batchBlocks());
  }

  /** Gives the frames of a batch back: at once, or when the store's library lets them go. */
  void giveBack(Batch batch) {
    FramePool.Loan loan = batch.loan;
    Blocks blocks = batch.handedOut();
    if (blocks == null) {
      giveBack(loan);
      return;
    }
    if (blocks.retained()) {
      frames.quarantine(loan);
      tripIfQuarantineFull();
    }
    blocks.whenFree(() -> giveBack(loan));
  }

  private void giveBack(FramePool.Loan loan) {
    frames.giveBack(loan);
    if (!frames.quarantineFull()) {
      breaker.relieve();
    }
  }

  void tripIfQuarantineFull() {
    if (frames.quarantineFull()) {
      breaker.hold("calls that were given up hold more than a quarter of the frames");
    }
  }

  void sayReadOnly() {
    if (saidReadOnly.compareAndSet(false, true)) {
      log.log(Level.INFO, "the identity policy is not writable here: saves do nothing");
    }
  }
}

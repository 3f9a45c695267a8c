package io.kvasir.benchmarks.compare;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.benchmarks.common.Chains;
import io.kvasir.benchmarks.common.PageCache;
import io.kvasir.benchmarks.common.Posix;
import io.kvasir.conformance.speed.Callers;
import io.kvasir.conformance.speed.Interleaved;
import io.kvasir.conformance.speed.Median;
import io.kvasir.conformance.speed.Round;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;

/** Measures one store in a JVM of its own: raw rounds and rounds of the store in turn. */
final class PeerRun {
  private static final int CHAIN = 2000;
  private static final long PREFIX_NANOS = 300_000_000;

  private final Plan plan;
  private final Chains chains;
  private final FramePool pool;
  private final Callers callers;
  private final Peer peer;
  private final RawDisk raw;
  private final List<Long> positions;
  private final List<Figure> figures = new ArrayList<>();
  private int prompts;
  private int cursor;

  private PeerRun(Plan plan) throws Exception {
    this.plan = plan;
    this.chains = new Chains(plan.blockBytes());
    this.pool =
        new FramePool(plan.callers() * plan.batchBlocks(), plan.frameBytes(), plan.hugePages());
    this.callers =
        new Callers(pool.forCallers(plan.callers(), plan.batchBlocks(), plan.blockBytes()));
    Files.createDirectories(plan.directory());
    this.peer = plan.peer().open(plan, chains);
    put();
    put(); // twice: a store with a capacity has written every slot by now, and evicts
    Peer.Region region = peer.region().isPresent() ? peer.region().get() : beside();
    this.positions = region.positions();
    if (positions.size() < plan.blocks()) {
      throw new IOException(
          "%s has room for %d blocks, a round has %d"
              .formatted(region.file(), positions.size(), plan.blocks()));
    }
    this.raw = plan.raw().open(region.file());
  }

  /** Takes a {@link Plan} as JSON and prints a {@link PeerResult} as the last line. */
  public static void main(String[] arguments) throws Exception {
    PeerResult result = new PeerRun(Plan.of(arguments[0])).run();
    System.out.println(result.json());
    System.out.flush();
    if (result.crashed() >= 0) {
      Runtime.getRuntime().halt(0); // the nearest thing to kill -9: nothing is closed or flushed
    }
  }

  private PeerResult run() throws Exception {
    puts();
    BlockKeys there = gets();
    double prefixMicros = prefixMicros(there);
    int crashed = -1;
    raw.close();
    if (plan.peer().durable()) {
      crashed = prompts;
      callers.put(batches(prompt()), peer::put);
    } else {
      peer.close();
    }
    return new PeerResult(plan.peer(), figures, prefixMicros, there.count(), crashed, null);
  }

  /** A file of its own, as large, for stores in whose files raw writes would break something. */
  private Peer.Region beside() throws IOException {
    List<Long> places =
        LongStream.range(0, plan.capacityBlocks()).map(i -> i * plan.frameBytes()).boxed().toList();
    Files.createFile(plan.rawFile());
    try (RawDisk disk = new ChannelDisk(plan.rawFile())) {
      disk.write(places, plan.blockBytes(), pool);
      disk.flush();
    }
    return new Peer.Region(plan.rawFile(), places);
  }

  private BlockKeys prompt() {
    return chains.prompt(prompts++, plan.blocks());
  }

  private List<BlockKeys> batches(BlockKeys prompt) {
    return batches(plan, prompt);
  }

  static List<BlockKeys> batches(Plan plan, BlockKeys prompt) {
    List<BlockKeys> batches = new ArrayList<>();
    for (int at = 0; at < plan.blocks(); at += plan.batchBlocks()) {
      batches.add(prompt.slice(at, at + plan.batchBlocks()));
    }
    return batches;
  }

  private BlockKeys put() throws Exception {
    BlockKeys prompt = prompt();
    callers.put(batches(prompt), peer::put);
    peer.flush();
    return prompt;
  }

  private void puts() throws Exception {
    Interleaved rounds = new Interleaved();
    List<Round> durable = new ArrayList<>();
    for (WarmUp warming = new WarmUp(plan.seconds()); warming.wantsMore(); ) {
      rawWrite();
      put();
    }
    rounds.raw(rawWrite());
    long began = System.nanoTime();
    while (plan.wantsMore(rounds.count(), began)) {
      List<BlockKeys> batches = batches(prompt());
      Round acknowledged = time(() -> callers.put(batches, peer::put));
      Round flushed = time(peer::flush);
      rounds.round(acknowledged);
      durable.add(acknowledged.then(flushed));
      rounds.raw(rawWrite());
    }
    figures.add(Figure.ofRaw(Measure.RAW_WRITE, rounds));
    figures.add(Figure.of(Measure.PUT_ACKNOWLEDGED, rounds));
    if (plan.peer().durable()) {
      figures.add(Figure.of(Measure.PUT_DURABLE, rounds, durable));
    }
  }

  private Round rawWrite() throws Exception {
    List<Long> next = new ArrayList<>();
    for (int i = 0; i < plan.blocks(); i++) {
      next.add(positions.get(cursor));
      cursor = (cursor + 1) % positions.size();
    }
    return Round.time(
        plan.roundBytes(),
        () -> {
          raw.write(next, plan.blockBytes(), pool);
          raw.flush();
        },
        Posix::cpuSeconds);
  }

  private BlockKeys gets() throws Exception {
    BlockKeys prompt = put(); // raw rounds have written over what the store held
    List<BlockKeys> batches = batches(prompt);
    Interleaved rounds = new Interleaved();
    List<Round> warm = new ArrayList<>();
    for (WarmUp warming = new WarmUp(plan.seconds()); warming.wantsMore(); ) {
      rawRead(0);
      get(batches, 0);
    }
    rounds.raw(rawRead(0));
    long began = System.nanoTime();
    for (int r = 1; plan.wantsMore(rounds.count(), began); r++) {
      cool();
      rounds.round(get(batches, r));
      warm.add(get(batches, r));
      rounds.raw(rawRead(r));
    }
    figures.add(Figure.ofRaw(Measure.RAW_READ, rounds));
    if (plan.peer().cold()) {
      figures.add(Figure.of(Measure.GET_COLD, rounds));
    }
    figures.add(Figure.of(Measure.GET_WARM, rounds, warm));
    return prompt;
  }

  private void cool() throws Exception {
    peer.release();
    PageCache.drop(plan.directory());
    peer.reopen();
  }

  private Round get(List<BlockKeys> batches, int seed) throws Exception {
    List<BlockKeys> order = new ArrayList<>(batches);
    Collections.shuffle(order, new Random(seed));
    return time(() -> callers.get(order, peer::get));
  }

  /** Batches lie together in the store, and so do here the positions of as many blocks. */
  private Round rawRead(int seed) throws Exception {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < plan.batches(); i++) {
      order.add(i * plan.batchBlocks());
    }
    Collections.shuffle(order, new Random(seed));
    List<Long> next = new ArrayList<>();
    for (int first : order) {
      next.addAll(positions.subList(first, first + plan.batchBlocks()));
    }
    return Round.time(
        plan.roundBytes(), () -> raw.read(next, plan.blockBytes(), pool), Posix::cpuSeconds);
  }

  private Round time(Round.Pass pass) throws Exception {
    return Round.time(plan.roundBytes(), pass, () -> Posix.cpuSeconds() + peer.serverCpuSeconds());
  }

  private double prefixMicros(BlockKeys there) throws Exception {
    List<Double> micros = new ArrayList<>();
    long end = System.nanoTime() + PREFIX_NANOS;
    while (micros.size() < 4 || System.nanoTime() < end) {
      long before = System.nanoTime();
      int found = peer.prefix(there);
      micros.add((System.nanoTime() - before) / 1e3 / there.count() * CHAIN);
      if (found != there.count()) {
        throw new IOException("%s: %d of %s are there".formatted(plan.peer(), found, there));
      }
    }
    return Median.of(micros.subList(micros.size() / 2, micros.size())).value();
  }
}

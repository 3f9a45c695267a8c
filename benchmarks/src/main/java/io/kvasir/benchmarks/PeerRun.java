package io.kvasir.benchmarks;

import io.kvasir.api.identity.BlockKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Measures one store in a JVM of its own: raw rounds and rounds of the store in turn. */
final class PeerRun implements AutoCloseable {
  private final Plan plan;
  private final Chains chains;
  private final FramePool pool;
  private final Callers callers;
  private final Peer peer;
  private final Peer.Region region;
  private final RawDisk raw;
  private final List<Figure> figures = new ArrayList<>();
  private int prompts;
  private int cursor;

  private PeerRun(Plan plan) throws Exception {
    this.plan = plan;
    this.chains = new Chains(plan.blockBytes());
    this.pool =
        new FramePool(plan.callers() * plan.batchBlocks(), frameBytes(plan), plan.hugePages());
    this.callers = new Callers(plan, pool);
    Files.createDirectories(plan.directory());
    this.peer = new LocalPeer(plan.directory(), capacity(plan), chains.manifest());
    fill();
    this.region = peer.region(plan.blocks(), plan.blockBytes());
    this.raw = plan.raw().open(region.file());
  }

  /** Takes a {@link Plan} as JSON and prints a {@link PeerResult} as the last line. */
  public static void main(String[] arguments) throws Exception {
    Plan plan = Plan.of(arguments[0]);
    try (PeerRun run = new PeerRun(plan)) {
      run.puts();
      run.gets();
      System.out.println(new PeerResult(plan.peer(), run.figures).json());
    }
  }

  private static long frameBytes(Plan plan) {
    return plan.blockBytes() + 4096L;
  }

  /** Room for the blocks of a round and for those that are on their way out meanwhile. */
  private static long capacity(Plan plan) {
    int spare = (plan.callers() + 2) * plan.batchBlocks();
    return (plan.blocks() + spare) * frameBytes(plan) + (16 << 20);
  }

  private List<BlockKeys> freshBatches() {
    List<BlockKeys> batches = new ArrayList<>();
    for (int i = 0; i < plan.batches(); i++) {
      batches.add(chains.prompt(prompts++, plan.batchBlocks()));
    }
    return batches;
  }

  /** Twice what fits, so that every slot was written and every put evicts. */
  private List<BlockKeys> fill() throws Exception {
    callers.put(freshBatches(), peer::put);
    List<BlockKeys> last = freshBatches();
    callers.put(last, peer::put);
    peer.flush();
    return last;
  }

  private Round rawWrite() throws Exception {
    long[] positions = new long[plan.blocks()];
    for (int i = 0; i < positions.length; i++) {
      positions[i] = region.positions().get(cursor);
      cursor = (cursor + 1) % region.positions().size();
    }
    return Round.time(
        plan.roundBytes(),
        () -> {
          raw.write(positions, plan.blockBytes(), pool);
          raw.flush();
        });
  }

  private void puts() throws Exception {
    Interleaved interleaved = new Interleaved();
    List<Round> durable = new ArrayList<>();
    for (int r = -1; r < plan.rounds(); r++) {
      Round before = rawWrite();
      if (r == 0) {
        interleaved.raw(before);
      }
      List<BlockKeys> batches = freshBatches();
      Round acked = time(() -> callers.put(batches, peer::put));
      Round flushed = time(peer::flush);
      if (r >= 0) {
        interleaved.round(acked);
        durable.add(acked.then(flushed));
        interleaved.raw(rawWrite());
      }
    }
    figures.add(interleaved.rawFigure("raw write"));
    figures.add(interleaved.figure("put, acknowledged"));
    figures.add(interleaved.figure("put, durable", durable));
  }

  private void gets() throws Exception {
    List<BlockKeys> batches = fill(); // raw rounds have written over what the store held
    Interleaved interleaved = new Interleaved();
    for (int r = -1; r < plan.rounds(); r++) {
      Collections.shuffle(batches, new Random(r));
      if (r <= 0) {
        Round before = rawRead(r);
        if (r == 0) {
          interleaved.raw(before);
        }
      }
      Round got = time(() -> callers.get(batches, peer::get));
      if (r >= 0) {
        interleaved.round(got);
        interleaved.raw(rawRead(r + 1));
      }
    }
    figures.add(interleaved.rawFigure("raw read"));
    figures.add(interleaved.figure("get, cold"));
  }

  /** Batches lie together in the store, and so do here the positions of as many blocks. */
  private Round rawRead(int seed) throws Exception {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < plan.batches(); i++) {
      order.add(i);
    }
    Collections.shuffle(order, new Random(seed));
    long[] positions = new long[plan.blocks()];
    for (int i = 0; i < positions.length; i++) {
      int batch = order.get(i / plan.batchBlocks());
      positions[i] = region.positions().get(batch * plan.batchBlocks() + i % plan.batchBlocks());
    }
    return Round.time(plan.roundBytes(), () -> raw.read(positions, plan.blockBytes(), pool));
  }

  private Round time(Round.Pass pass) throws Exception {
    return Round.time(plan.roundBytes(), pass, () -> Posix.cpuSeconds() + peer.serverCpuSeconds());
  }

  @Override
  public void close() throws IOException {
    callers.close();
    raw.close();
    peer.close();
    pool.close();
  }
}

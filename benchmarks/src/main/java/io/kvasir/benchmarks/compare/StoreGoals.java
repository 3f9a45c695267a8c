package io.kvasir.benchmarks.compare;

import java.util.ArrayList;
import java.util.List;

/** G1, G2 and G8: what the rounds of the stores decide. */
final class StoreGoals {
  private static final double RAW_SHARE = 0.95;
  private static final double CPU = 0.06;
  private static final double CPU_BELOW_PEERS = 10;

  private final List<PeerResult> stores;
  private final List<Goal> goals = new ArrayList<>();

  private StoreGoals(List<PeerResult> stores) {
    this.stores = stores;
  }

  static List<Goal> of(List<PeerResult> stores) {
    StoreGoals goals = new StoreGoals(stores);
    PeerResult local = goals.store(PeerKind.LOCAL);
    if (local != null) {
      goals.againstRaw(local);
      goals.againstPeers(local);
    }
    return goals.goals;
  }

  private PeerResult store(PeerKind kind) {
    return stores.stream().filter(store -> store.peer() == kind).findFirst().orElse(null);
  }

  private void againstRaw(PeerResult local) {
    Figure put = local.figure(Measure.PUT_DURABLE);
    Figure get = local.figure(Measure.GET_COLD);
    goals.add(Goal.atLeast("G1", "durable put, by raw write", put.ratio().value(), RAW_SHARE));
    goals.add(Goal.atMost("G1", "durable put, CPU s/GB", put.cpuSecondsPerGigabyte().value(), CPU));
    goals.add(Goal.atLeast("G2", "cold get, by raw read", get.ratio().value(), RAW_SHARE));
    goals.add(Goal.atMost("G2", "cold get, CPU s/GB", get.cpuSecondsPerGigabyte().value(), CPU));
  }

  private void againstPeers(PeerResult local) {
    faster(local, PeerKind.FILES, 3);
    faster(local, PeerKind.ROCKSDB, 5);
    faster(local, PeerKind.ROCKSDB_WAL, 5);
    faster(local, PeerKind.LMDB, 4);
    lighter(local, PeerKind.ROCKSDB);
    lighter(local, PeerKind.REDIS);
  }

  /** Ours is durable when it is acknowledged; both of theirs are shown. */
  private void faster(PeerResult local, PeerKind kind, double times) {
    PeerResult peer = store(kind);
    if (peer != null) {
      double ours = local.figure(Measure.PUT_DURABLE).ratio().value();
      for (Measure of : List.of(Measure.PUT_ACKNOWLEDGED, Measure.PUT_DURABLE)) {
        goals.add(
            Goal.atLeast(
                "G8",
                "durable put, by %s's %s".formatted(kind.id(), of),
                ours / peer.figure(of).ratio().value(),
                times));
      }
    }
  }

  private void lighter(PeerResult local, PeerKind kind) {
    PeerResult peer = store(kind);
    if (peer != null) {
      lighter("put", Measure.PUT_ACKNOWLEDGED, local, peer);
      lighter("warm get", Measure.GET_WARM, local, peer);
    }
  }

  private void lighter(String what, Measure of, PeerResult local, PeerResult peer) {
    goals.add(
        Goal.atLeast(
            "G8",
            "CPU per GB of a %s: %s's by ours".formatted(what, peer.peer().id()),
            peer.figure(of).cpuSecondsPerGigabyte().value()
                / local.figure(of).cpuSecondsPerGigabyte().value(),
            CPU_BELOW_PEERS));
  }
}

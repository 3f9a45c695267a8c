package io.kvasir.benchmarks.compare;

import io.kvasir.benchmarks.common.Chains;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The stores that can be compared. */
enum PeerKind {
  LOCAL("plugin-local, durability batch", true, true),
  ROCKSDB_WAL("RocksDB, blob files, synced write-ahead log", true, true),
  ROCKSDB("RocksDB, blob files, no write-ahead log", true, true),
  LMDB("LMDB, MDB_NOSYNC", true, true),
  LMDB_SYNC("LMDB, synced commits", true, true),
  FILES("a file per block, buffered", true, true),
  FILES_DIRECT("a file per block, O_DIRECT", true, true),
  REDIS("Redis on loopback, in memory", false, false);

  private final String description;
  private final boolean durable;
  private final boolean cold;

  PeerKind(String description, boolean durable, boolean cold) {
    this.description = description;
    this.durable = durable;
    this.cold = cold;
  }

  static PeerKind named(String name) {
    return Arrays.stream(values())
        .filter(kind -> kind.id().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no store \"%s\" to compare; there are %s"
                        .formatted(
                            name,
                            Arrays.stream(values())
                                .map(PeerKind::id)
                                .collect(Collectors.joining(", ")))));
  }

  /** {@return those of a quick run} */
  static List<PeerKind> quick() {
    return Arrays.stream(values()).filter(kind -> kind != LMDB_SYNC).toList();
  }

  /** {@return the name on the command line and in tables} */
  String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** As it is in JSON, too. */
  @Override
  public String toString() {
    return id();
  }

  String description() {
    return description;
  }

  /** {@return whether what it acknowledged can be made durable} */
  boolean durable() {
    return durable;
  }

  /** {@return whether it can hold a block on the disk only} */
  boolean cold() {
    return cold;
  }

  /** Opens the store, empty or with what an earlier one left. */
  Peer open(Plan plan, Chains chains) throws Exception {
    return switch (this) {
      case LOCAL -> new LocalPeer(plan.directory(), plan.capacity(), chains.manifest());
      case ROCKSDB_WAL -> new RocksPeer(plan.directory(), true);
      case ROCKSDB -> new RocksPeer(plan.directory(), false);
      case LMDB -> new LmdbPeer(plan.directory(), false);
      case LMDB_SYNC -> new LmdbPeer(plan.directory(), true);
      case FILES -> new FilesPeer(plan.directory(), false);
      case FILES_DIRECT -> new FilesPeer(plan.directory(), true);
      case REDIS -> new RedisPeer(plan.directory());
    };
  }
}

package io.kvasir.plugin.mooncake;

import io.kvasir.api.ByteSize;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreProvider;
import io.kvasir.conformance.StoreContract;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInfo;

/** The kit, on the stand-in or on a real cluster. */
class MooncakeContractTest extends StoreContract {
  private static final long LEASE_MILLIS = 120;
  private static final List<String> BATCHES =
      List.of("batch_put_from", "batch_get_into", "batch_is_exist");
  private final Map<Path, String> masters = new HashMap<>();

  /** A renewal of leases that comes late on a busy machine is no fault of the store. */
  private final boolean leaseLong;

  MooncakeContractTest(TestInfo test) {
    leaseLong = test.getTestMethod().orElseThrow().getName().startsWith("leasedBlocksStay");
  }

  @Override
  protected StoreProvider provider() {
    return new MooncakeProvider();
  }

  /**
   * Too large for R-CAP-7: a put that can never fit wakes Mooncake's evictor like any other, so
   * that other blocks do suffer.
   */
  @Override
  protected ByteSize capacity() {
    return new ByteSize(32L << 20);
  }

  /** Small, so that filling the store takes longer than one of Mooncake's leases. */
  @Override
  protected long blockBytes() {
    return 32L << 10;
  }

  @Override
  protected Record configuration(Path directory, ByteSize capacity) {
    Settings settings = new Settings(masters.computeIfAbsent(directory, _ -> master(capacity)));
    settings.leased = new ByteSize(capacity.bytes() / 2);
    settings.leaseRenewal = Duration.ofMillis(LEASE_MILLIS / 10);
    settings.verifySaves = !leaseLong; // it would lease all that is saved meanwhile for as long
    return settings.config();
  }

  private String master(ByteSize capacity) {
    String master = Rig.master(capacity.bytes());
    if (!Rig.REAL && !leaseLong) {
      Rig.set(master, "lease_ms", LEASE_MILLIS);
    }
    return master;
  }

  private String master() {
    return masters.values().iterator().next();
  }

  @AfterEach
  void takeTheFaultsBack() {
    Rig.clear();
  }

  @Override
  protected Optional<Record> failingConfiguration(Path directory) {
    if (Rig.REAL) {
      return Optional.empty();
    }
    for (String function : BATCHES) {
      Rig.fail(function, null, Codes.RPC_FAIL, 100);
    }
    return Optional.of(configuration(directory, capacity()));
  }

  /** The calls hang beyond their deadline, and touch no frame when they go on. */
  @Override
  protected Optional<Record> hangingConfiguration(Path directory) {
    Optional<Record> failing = failingConfiguration(directory);
    if (failing.isPresent()) {
      for (String function : BATCHES) {
        Rig.delay(function, 500, 100);
      }
    }
    return failing;
  }

  @Override
  protected boolean damageBlock(Store store, BlockKeys keys, int block) {
    long last = keys.payloadBytes() + Trailer.BYTES - 1; // of the value
    return !Rig.REAL && Rig.flip(master(), keys.flatKey(block), block % 3 * last / 2 * Byte.SIZE);
  }

  @Override
  protected boolean damageManifest(Store store, NamespaceManifest manifest) {
    return !Rig.REAL && Rig.flip(master(), KeptManifests.key(manifest.id()), 77);
  }
}

package io.kvasir.plugin.mooncake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.conformance.Manifests;
import org.junit.jupiter.api.Test;

/** Tells whether this module's tests ran on a real cluster, and how to make them. */
class RealClusterTest {
  @Test
  void aBatchOfLargeBlocksComesBackFromTheClusterThatTheEnvironmentNames() throws Exception {
    assumeTrue(
        Rig.REAL,
        "set KVASIR_MOONCAKE_MASTER=host:port and MOONCAKE_STORE_LIBRARY=libmooncake_store.so, and"
            + " every test of this module that bends nothing runs on that cluster, which is"
            + " EMPTIED; give it a segment of 512 MiB. With MOONCAKE_PROGRAMS, the folder of"
            + " mooncake_master and mooncake_client, those that kill servers start their own");
    try (Client client =
        new Client(new Settings(Rig.master(512L << 20)), Manifests.of("large", 2 << 20))) {
      BlockKeys keys = client.keys(1, 32);
      Client.all(BlockStatus.OK, client.save(keys));
      assertEquals(32, client.found(keys));
      Client.all(BlockStatus.OK, client.load(keys));
    }
  }
}

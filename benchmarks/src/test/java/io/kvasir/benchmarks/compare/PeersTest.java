package io.kvasir.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.Blocks;
import io.kvasir.benchmarks.common.Chains;
import io.kvasir.benchmarks.common.PageCache;
import io.kvasir.conformance.speed.DirectFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PeersTest {
  private static final int BLOCK = 16384;
  private static final int BATCH = 8;

  @TempDir Path folder;
  private final Chains chains = new Chains(BLOCK);

  @ParameterizedTest
  @EnumSource
  void aPeerGivesBackTheBytesThatItTook(PeerKind kind) throws Exception {
    Plan plan = plan(kind);
    BlockKeys keys = chains.prompt(1, BATCH);
    try (FramePool from = new FramePool(BATCH, plan.frameBytes(), false);
        FramePool into = new FramePool(BATCH, plan.frameBytes(), false);
        Peer peer = open(kind, plan)) {
      assertEquals(0, peer.prefix(keys));
      peer.put(new Blocks(keys, from.frames(0, BATCH, BLOCK)));
      peer.flush();
      peer.release();
      PageCache.drop(plan.directory());
      peer.reopen();
      assertEquals(BATCH, peer.prefix(keys));
      for (int i = 0; i < BATCH; i++) {
        into.frame(i).fill((byte) 0);
      }
      peer.get(new Blocks(keys, into.frames(0, BATCH, BLOCK)));
      for (int i = 0; i < BATCH; i++) {
        long mismatch = from.frame(i).asSlice(0, BLOCK).mismatch(into.frame(i).asSlice(0, BLOCK));
        assertEquals(-1, mismatch, "block " + i);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPeerThatLacksABlockSaysSo(PeerKind kind) throws Exception {
    Plan plan = plan(kind);
    BlockKeys keys = chains.prompt(1, BATCH);
    try (FramePool pool = new FramePool(BATCH, plan.frameBytes(), false);
        Peer peer = open(kind, plan)) {
      peer.put(new Blocks(keys.slice(0, 3), pool.frames(0, 3, BLOCK)));
      assertEquals(3, peer.prefix(keys));
      Blocks all = new Blocks(keys, pool.frames(0, BATCH, BLOCK));
      assertThrows(Exception.class, () -> peer.get(all));
    }
  }

  private Plan plan(PeerKind kind) throws IOException {
    Plan plan =
        new Plan(kind, folder, RawDisk.Way.CHANNEL, BLOCK, BATCH, 2 * BATCH, 1, 1, 1, false);
    Files.createDirectories(plan.directory());
    return plan;
  }

  private Peer open(PeerKind kind, Plan plan) throws Exception {
    assumeTrue(kind != PeerKind.REDIS || Tool.REDIS.program().isPresent(), Tool.REDIS.missing());
    if (kind == PeerKind.FILES_DIRECT) {
      assumeDirect();
    }
    return kind.open(plan, chains);
  }

  private void assumeDirect() {
    String why = "";
    try (FileChannel file =
        FileChannel.open(
            folder.resolve("direct"),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            DirectFile.DIRECT)) {
      file.force(false);
    } catch (IOException | UnsupportedOperationException e) {
      why = e.toString();
    }
    assumeTrue(why.isEmpty(), "no direct I/O in " + folder + ": " + why);
  }
}

package io.kvasir.benchmarks.compare;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.Blocks;
import io.kvasir.benchmarks.common.Chains;
import io.kvasir.benchmarks.common.PageCache;
import io.kvasir.conformance.speed.Callers;
import java.io.IOException;

/** Opens a store whose JVM was halted, in another one. */
final class PeerRecovery {
  private PeerRecovery() {}

  /**
   * Takes a {@link Plan} as JSON and the number of the last prompt, and prints a {@link
   * PeerResult.Recovery} as the last line.
   */
  public static void main(String[] arguments) throws Exception {
    Plan plan = Plan.of(arguments[0]);
    System.out.println(recover(plan, Integer.parseInt(arguments[1])).json());
  }

  /** Opens the store of the plan and looks for the blocks of its last prompt. */
  static PeerResult.Recovery recover(Plan plan, int lastPrompt) throws Exception {
    Chains chains = new Chains(plan.blockBytes());
    BlockKeys prompt = chains.prompt(lastPrompt, plan.blocks());
    PageCache.drop(plan.directory());
    long before = System.nanoTime();
    try (Peer peer = plan.peer().open(plan, chains);
        FramePool pool = new FramePool(1, plan.frameBytes(), plan.hugePages())) {
      double openMillis = (System.nanoTime() - before) / 1e6;
      int lost = 0;
      int wrong = 0;
      for (int i = 0; i < prompt.count(); i++) {
        Blocks block = new Blocks(prompt.slice(i, i + 1), pool.frames(0, 1, plan.blockBytes()));
        if (peer.prefix(block.keys()) == 0) {
          lost++;
        } else if (!holdsItsBytes(peer, block)) {
          wrong++;
        }
      }
      return new PeerResult.Recovery(openMillis, prompt.count(), lost, wrong);
    }
  }

  private static boolean holdsItsBytes(Peer peer, Blocks block) throws Exception {
    peer.get(block);
    try {
      Callers.checkStamp(block, 0);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}

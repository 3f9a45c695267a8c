package io.kvasir.core.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Completion;
import io.kvasir.api.Fence;
import io.kvasir.api.KvRequest;
import io.kvasir.api.LoadResult;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.PrefixMatch;
import io.kvasir.api.SaveResult;
import io.kvasir.api.Transfer;
import io.kvasir.api.identity.RequestScope;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DataPathTest {
  private final ScriptedStore store = new ScriptedStore();

  @Test
  void savedBlocksAreFoundAndLoadWithTheirBytes() {
    try (Connector connector = Bench.settings().open(store)) {
      assertEquals(8, Bench.fill(connector, 8, 1).saved());
      PagedBlocks into = Bench.memory(8, 0);
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(33))) {
        PrefixMatch match = Bench.lookup(request);
        assertEquals(new PrefixMatch(request.id(), 32, true, BlockStatus.OK), match);
        LoadResult result = request.load(match, into).await(Bench.soon());
        assertEquals(32, result.tokens());
        assertTrue(result.complete());
      }
      for (int b = 0; b < 8; b++) {
        assertTrue(Bench.untouched(into, b, 1 + b), "block " + b);
      }
      Bench.until("idle", () -> connector.gauges().idle());
    }
    assertEquals(0, store.leases.get());
    assertEquals(0, store.openViews.get());
  }

  @Test
  void theLastPromptTokenIsLeftToCompute() {
    try (Connector connector = Bench.settings().open(store)) {
      Bench.fill(connector, 8, 1);
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(32))) {
        assertEquals(28, Bench.lookup(request).tokens());
      }
      int asked = store.lookups.get();
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(4))) {
        Transfer<PrefixMatch> lookup = request.lookup();
        assertTrue(lookup.done(), "nothing to ask the store for");
        assertEquals(
            new PrefixMatch(request.id(), 0, false, BlockStatus.OK), lookup.await(Bench.soon()));
      }
      assertEquals(asked, store.lookups.get());
    }
  }

  @Test
  void pollDeliversEachCompletionOnceAndAwaitKeepsItsOwn() {
    try (Connector connector = Bench.settings().open(store)) {
      List<Completion> seen = new ArrayList<>();
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(9))) {
        Transfer<SaveResult> save = request.save(Bench.memory(2, 1), Fence.none());
        Bench.until("saved", save::done);
        Transfer<PrefixMatch> lookup = request.lookup();
        Bench.until("looked up", lookup::done);
        assertEquals(8, lookup.await(Bench.soon()).tokens());
        assertEquals(1, connector.poll(seen::add));
        assertEquals(0, connector.poll(seen::add));
        assertEquals(save.id(), seen.getFirst().transferId());
      }
      assertEquals(1, seen.size());
    }
  }
}

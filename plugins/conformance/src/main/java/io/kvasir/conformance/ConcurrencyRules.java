package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** R-CONC: what holds for one thread holds for several. */
public interface ConcurrencyRules extends StoreRules {
  /** LMCache#4991: writers of one key; a reader sees nothing or one whole block, for ever. */
  @Test
  @Rule("R-CONC-1")
  default void writersOfOneKeyDoNotHarmEachOther() throws StoreException {
    StoreBench bench = bench();
    NamespaceManifest manifest = Manifests.of("team", bench.atMost(256 << 10));
    int keyCount = 12;
    AtomicInteger running = new AtomicInteger(3);
    AtomicInteger turn = new AtomicInteger();
    try (NamespaceStore namespace = bench.store().open(manifest)) {
      Crew crew = new Crew();
      for (int writer = 1; writer <= 3; writer++) {
        long number = writer;
        crew.start(
            "writer " + writer,
            () -> {
              for (int text = 0; text < keyCount; text++) {
                BlockKeys keys = Chains.keys(manifest, text, 1);
                Blocks mine = bench.filled(keys, i -> number);
                turn.incrementAndGet();
                while (turn.get() < 3 * (text + 1)
                    && crew.allWell()) { // all writers of a key begin together
                  Thread.onSpinWait();
                }
                namespace.save(mine, StoreBench.soon());
                StoreBench.all(BlockStatus.OK, mine);
              }
              running.decrementAndGet();
            });
      }
      long[] winner = new long[keyCount];
      crew.start(
          "reader",
          () -> {
            boolean last;
            do {
              last = running.get() == 0;
              for (int text = 0; text < keyCount; text++) {
                read(namespace, Chains.keys(manifest, text, 1), winner, text, last);
              }
            } while (!last && crew.allWell());
          });
      crew.join();
    }
  }

  private void read(NamespaceStore namespace, BlockKeys keys, long[] winner, int at, boolean all)
      throws StoreException {
    Blocks blocks = bench().empty(keys);
    try (BlockLease lease = namespace.lookup(keys, StoreBench.soon())) {
      namespace.load(lease, blocks, StoreBench.soon());
    }
    if (blocks.status(0) != BlockStatus.OK) {
      assertEquals(BlockStatus.MISS, blocks.status(0));
      assertTrue(!all && winner[at] == 0, "a block that was saved is gone");
      return;
    }
    long number = winner[at];
    for (long writer = 1; number == 0 && writer <= 3; writer++) {
      number = Payload.firstWrong(blocks.frame(0).payload(), writer) < 0 ? writer : 0;
    }
    assertEquals(
        -1,
        Payload.firstWrong(blocks.frame(0).payload(), number),
        "first byte that is not of writer " + number + ", whose block this was or should be");
    winner[at] = number;
  }

  /** LMCache#2420, #4133: readers and writers beside an evictor at full speed. */
  @Test
  @Rule("R-CONC-2")
  default void readersWritersAndEvictorSeeNoExceptionAndNoWrongByte() throws StoreException {
    StoreBench bench = bench();
    NamespaceManifest[] manifests = {bench.manifest("a"), bench.manifest("b")};
    int texts = Math.max(16, bench.capacityBlocks() / 3); // × 4 blocks × 2: more than fits
    AtomicLong operations = new AtomicLong();
    try (NamespaceStore a = bench.open("a");
        NamespaceStore b = bench.open("b")) {
      NamespaceStore[] open = {a, b};
      Crew crew = new Crew();
      for (int worker = 0; worker < 4; worker++) {
        SplittableRandom random = Seed.random("conc-2-" + worker);
        crew.start(
            "worker " + worker,
            () -> {
              Blocks frames = null;
              for (int i = 0; i < 300 && crew.allWell(); i++) {
                int n = random.nextInt(2);
                BlockKeys keys = Chains.keys(manifests[n], random.nextInt(texts), 4);
                frames = work(open[n], keys, random.nextInt(10), frames);
                operations.incrementAndGet();
              }
            });
      }
      crew.join();
      bench.frames().checkGuards();
    }
    assertEquals(1200, operations.get());
  }

  /** One operation; frames are used again, so that 1,200 of them need no more memory than four. */
  private Blocks work(NamespaceStore namespace, BlockKeys keys, int choice, Blocks before)
      throws StoreException {
    StoreBench bench = bench();
    Blocks blocks =
        before == null
            ? bench.empty(keys)
            : new Blocks(
                keys, java.util.stream.IntStream.range(0, 4).mapToObj(before::frame).toList());
    if (choice < 4) {
      for (int i = 0; i < 4; i++) {
        Payload.fill(blocks.frame(i).payload(), StoreBench.number(keys, i));
      }
      namespace.save(blocks, StoreBench.soon());
      StoreBench.allHaveStatus(blocks);
    } else if (choice < 9 || !bench.claims().scopedDelete()) {
      try (BlockLease lease = namespace.lookup(keys, StoreBench.soon())) {
        namespace.load(lease, blocks, StoreBench.soon());
        StoreBench.allHaveStatus(blocks);
        StoreBench.compare(blocks);
      }
    } else {
      namespace.remove(keys, StoreBench.soon());
    }
    return blocks;
  }

  /** A namespace has as many views as engines; one that ends must not disturb another. */
  @Test
  @Rule("R-CONC-3")
  default void namespaceOpenedAndClosedBesideItsUsersDisturbsNobody() throws StoreException {
    StoreBench bench = bench();
    NamespaceManifest manifest = bench.manifest("team");
    AtomicInteger running = new AtomicInteger(2);
    AtomicInteger visits = new AtomicInteger(); // users go on after some, or none disturbs them
    bench.store();
    Crew crew = new Crew();
    for (int user = 0; user < 2; user++) {
      int first = user * 1000;
      crew.start(
          "user " + user,
          () -> {
            try (NamespaceStore namespace = bench.open("team")) {
              for (int i = 0; (i < 20 || visits.get() < 3) && crew.allWell(); i++) {
                BlockKeys keys = Chains.keys(manifest, first + i % 20, 2);
                bench.save(namespace, keys);
                bench.hit(namespace, keys);
              }
            } finally {
              running.decrementAndGet();
            }
          });
    }
    crew.start(
        "guest",
        () -> {
          while (running.get() > 0) {
            try (NamespaceStore namespace = bench.open("team")) {
              namespace.lookup(Chains.keys(manifest, 1, 1), StoreBench.soon()).close();
            }
            visits.incrementAndGet();
          }
        });
    crew.join();
  }
}

package io.kvasir.benchmarks.policies;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ReplaysTest {
  @TempDir Path work;

  /** Conversations that grow by two blocks each time they come back; ids as a trace gives them. */
  private static Trace conversations(int requests) {
    Random random = new Random(3);
    List<List<Integer>> talks = new ArrayList<>();
    List<int[]> trace = new ArrayList<>();
    int next = 1;
    for (int r = 0; r < requests; r++) {
      int talk = (int) Math.min(talks.size(), Math.abs(random.nextGaussian()) * 30);
      if (talk == talks.size() || random.nextInt(4) == 0) {
        talks.addFirst(new ArrayList<>(List.of(0)));
        talk = 0;
      }
      List<Integer> chain = talks.remove(talk);
      chain.add(next++);
      chain.add(next++);
      talks.addFirst(chain);
      trace.add(chain.stream().mapToInt(Integer::intValue).toArray());
    }
    return new Trace(trace);
  }

  @Test
  void aStoreThatHoldsEverythingFindsWhatTheIdealFinds() throws Exception {
    Trace trace = conversations(200);
    ProductReplay.Result product =
        new ProductReplay(trace).run(work.resolve("store"), trace.distinct());
    assertEquals(HitRate.of(trace, new Ideal(trace.distinct(), trace)), product.rate());
  }

  @Test
  void theProductIsReplayedByItsOwnCodeAndIsComparedAtItsOwnSize() throws Exception {
    Trace trace = conversations(1500);
    Replays replays = Replays.of(trace, List.of(0.25, 0.5), work);
    Replays.Row product = replays.rows().getFirst();
    Replays.Row same = replays.rows().get(1);
    assertEquals("plugin-local", product.policy());
    assertEquals(product.blocks(), same.blocks());
    assertTrue(product.percent().getFirst() < product.percent().getLast(), product.toString());
    for (int i = 0; i < 2; i++) {
      int wanted = (int) (replays.shares().get(i) * replays.workingSet());
      assertEquals(wanted, product.blocks().get(i), 0.2 * wanted, "blocks held");
      // a cache of chains that finds a little of what it could is broken
      assertEquals(same.percent().get(i), product.percent().get(i), 3, "points");
    }
  }

  @Test
  void textAndJsonSayTheSame() {
    Replays replays =
        new Replays(
            3,
            10,
            7,
            List.of(0.1, 0.5),
            List.of(new Replays.Row("plugin-local", List.of(12.345, 20.0), List.of(1, 3))),
            List.of(true, false));
    String text = replays.text();
    assertTrue(text.contains("3 requests, 10 blocks, of these 7 different"), text);
    assertTrue(text.matches("(?s).*plugin-local +12.35 +20.00 +1 +3\n.*"), text);
    assertTrue(text.contains("at 10 %, by \"LRU, tail first\" with as many blocks: holds"), text);
    assertTrue(text.contains("at 50 %, by \"LRU, tail first\" with as many blocks: MISSED"), text);
    JsonNode json = new JsonMapper().readTree(replays.json());
    assertEquals(12.345, json.at("/rows/0/percent/0").asDouble());
    assertEquals(7, json.at("/workingSet").asInt());
    assertTrue(json.at("/holds/0").asBoolean());
  }
}

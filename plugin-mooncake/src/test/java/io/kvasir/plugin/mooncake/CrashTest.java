package io.kvasir.plugin.mooncake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreHealth;
import io.kvasir.conformance.Manifests;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Processes that end, freeze and come back. Whatever they do, a request ends by its deadline, no
 * wrong byte is served, and the store works again by itself. The times for which the stand-in
 * blocks are shortened; they stay well above the deadlines.
 */
@Timeout(300)
class CrashTest {
  private static final long SEGMENT = 32 << 20;
  private static final long DEADLINE_MILLIS = 150;

  /** How late a call may end on a machine that is busy. */
  private static final long SLACK_MILLIS = 600;

  @AfterEach
  void takeTheFaultsBack() {
    Rig.clear();
  }

  /** Saves the text that it is told, and says how many of its blocks are OK. */
  static final class Saver {
    public static void main(String[] args) throws Exception {
      Client client = new Client(new Settings(args[0]));
      Blocks saved = client.save(client.keys(Integer.parseInt(args[1]), 8));
      System.out.println(Client.count(BlockStatus.OK, saved));
      if (args.length == 2) {
        client.close();
      } else {
        Thread.sleep(Long.MAX_VALUE);
      }
    }
  }

  /** Loads the text that it is told, compares the bytes, and says how many blocks are OK. */
  static final class Loader {
    public static void main(String[] args) throws Exception {
      try (Client client = new Client(new Settings(args[0]))) {
        BlockKeys keys = client.keys(Integer.parseInt(args[1]), 8);
        System.out.println(client.found(keys));
        System.out.println(Client.count(BlockStatus.OK, client.load(keys)));
      }
    }
  }

  /** A client whose blocking calls in the library last for seconds and not for a minute. */
  private static Client impatient(String master) throws StoreException {
    if (!Rig.REAL) {
      Rig.set("get_timeout_ms", 1500);
      Rig.set("put_timeout_ms", 2500);
      Rig.set("down_delay_ms", 1200);
    }
    return new Client(new Settings(master));
  }

  private static void within(long millis, String what, Client.Condition call) throws Exception {
    long begun = System.nanoTime();
    call.holds();
    long took = Duration.ofNanos(System.nanoTime() - begun).toMillis();
    assertTrue(took <= millis + SLACK_MILLIS, what + " took " + took + " ms of " + millis);
  }

  private static Deadline soon() {
    return Client.in(DEADLINE_MILLIS);
  }

  @Test
  void blocksThatOneJvmSavesAnotherLoads() throws Exception {
    String master = Rig.master(SEGMENT);
    try (Child saver = Child.jvm(Saver.class, master, "7")) {
      saver.expect("8");
      assertEquals(0, saver.end());
    }
    try (Child loader = Child.jvm(Loader.class, master, "7")) {
      loader.expect("8");
      loader.expect("8");
      assertEquals(0, loader.end());
    }
    try (Client client = new Client(new Settings(master));
        Child saver = Child.jvm(Saver.class, master, "8", "stay")) {
      saver.expect("8");
      Client.all(BlockStatus.OK, client.load(client.keys(8, 8))); // while the other is open
      saver.kill();
      Client.all(BlockStatus.OK, client.load(client.keys(8, 8))); // and when it has been killed
      Client.all(BlockStatus.OK, client.load(client.keys(7, 8)));
    }
  }

  @Test
  void blocksOfAKilledOwnerAreMissesAndSavesGoOnOnceItIsForgotten() throws Exception {
    try (Servers servers = new Servers(Rig.REAL ? "--client_ttl=5" : "--client_ttl=1");
        Child first = servers.node(32);
        Client client = impatient(servers.address)) {
      BlockKeys keys = client.keys(1, 8);
      Client.all(BlockStatus.OK, client.save(keys));
      first.kill();
      within(10_000, "a load", () -> noneIsOk(client.load(keys)));
      within(DEADLINE_MILLIS, "a save", () -> noneIsOk(client.save(client.keys(2, 8), soon())));
      try (Child second = servers.node(32)) {
        Client.until(
            "saves go on", () -> Client.count(BlockStatus.OK, client.save(client.keys(3, 8))) == 8);
        Client.all(BlockStatus.OK, client.load(client.keys(3, 8)));
        Client.all(BlockStatus.MISS, client.load(keys));
        Client.until("its blocks are forgotten", () -> client.found(keys) == 0);
        second.kill();
      }
    }
  }

  private static boolean noneIsOk(Blocks blocks) {
    assertEquals(0, Client.count(BlockStatus.OK, blocks), blocks.toString());
    return true;
  }

  @Test
  void aFrozenOwnerHoldsNoRequestBeyondItsDeadline() throws Exception {
    try (Servers servers = new Servers("--client_ttl=60");
        Child owner = servers.node(32);
        Client client = impatient(servers.address)) {
      BlockKeys keys = client.keys(1, 8);
      Client.all(BlockStatus.OK, client.save(keys));
      owner.freeze();
      List<Blocks> given = new ArrayList<>();
      within(DEADLINE_MILLIS, "a load", () -> given.add(timedOut(client.load(keys, soon()))));
      within(
          DEADLINE_MILLIS,
          "a save",
          () -> given.add(timedOut(client.save(client.keys(2, 8), soon()))));
      assertTrue(given.stream().allMatch(Blocks::retained));
      assertEquals(8, client.found(keys), "the master still answers");
      owner.thaw();
      Client.awaitFree(given.toArray(Blocks[]::new));
      Client.until("no call is abandoned", () -> client.metric("calls.abandoned") == 0);
      Client.until(
          "saves go on", () -> Client.count(BlockStatus.OK, client.save(client.keys(3, 8))) == 8);
      Client.all(BlockStatus.OK, client.load(client.keys(3, 8)));
    }
  }

  private static Blocks timedOut(Blocks blocks) {
    Client.all(BlockStatus.TIMEOUT, blocks);
    return blocks;
  }

  @Test
  void aStoreWhoseOwnerIsFrozenForLongStaysWithinItsCap() throws Exception {
    try (Servers servers = new Servers("--client_ttl=60");
        Child owner = servers.node(32);
        Client client = impatient(servers.address)) {
      BlockKeys keys = client.keys(1, 2);
      Client.all(BlockStatus.OK, client.save(keys));
      owner.freeze();
      for (int i = 0; i < 40; i++) {
        within(20, "a load", () -> noneIsOk(client.load(keys, Client.in(20))));
        assertTrue(client.metric("calls.abandoned") <= 16);
      }
      assertEquals(StoreHealth.State.DOWN, client.store.health().state());
      owner.kill();
      Client.until("the breaker closes", () -> client.metric("breaker.open") == 0);
    }
  }

  @Test
  void aMasterThatEndsAndComesBackIsFoundAgain() throws Exception {
    try (Servers servers = new Servers();
        Child node = servers.node(32);
        Client client = impatient(servers.address)) {
      BlockKeys keys = client.keys(1, 4);
      Client.all(BlockStatus.OK, client.save(keys));
      BlockKeys late = client.keys(2, 4); // a save that was given up may still appear
      servers.killMaster();
      for (int i = 0; i < 12; i++) {
        within(DEADLINE_MILLIS, "a load", () -> noneIsOk(client.load(keys, soon())));
        within(DEADLINE_MILLIS, "a save", () -> noneIsOk(client.save(late, soon())));
        within(
            DEADLINE_MILLIS,
            "a lookup",
            () -> {
              assertThrows(
                  StoreException.class, () -> client.namespace.lookup(keys, soon()).close());
              return true;
            });
      }
      assertEquals(StoreHealth.State.DOWN, client.store.health().state());
      assertTrue(client.metric("calls.abandoned") <= 8, "the breaker opened in time");
      assertTrue(node.isAlive());
      servers.startMaster();
      Client.until("the breaker closes", () -> client.metric("breaker.open") == 0);
      Client.all(BlockStatus.MISS, client.load(keys)); // it lost all objects
      Client.until(
          "its node has come back", () -> Client.count(BlockStatus.OK, client.save(keys)) == 4);
      Client.all(BlockStatus.OK, client.load(keys));
      client.store.open(client.manifest).close(); // and the manifest is put again
      assertTrue(Raw.size(servers.address, KeptManifests.key(client.manifest.id())) > 0);
    }
  }

  @Test
  void aMasterThatIsNotThereIsNamedAtTheOpening() throws Exception {
    Rig.needsStandin();
    Rig.set("down_delay_ms", 100);
    StoreException e =
        assertThrows(StoreException.class, () -> new Client(new Settings("127.0.0.1:1")).close());
    assertEquals(StoreException.Kind.UNAVAILABLE, e.kind());
    assertTrue(
        e.getMessage().startsWith("master: \"127.0.0.1:1\" does not take this client: -"),
        e.getMessage());
  }

  @Test
  void aFullStoreEndsSavesInTimeAndServesWhatItHas() throws Exception {
    try (Servers servers = new Servers("--default_kv_lease_ttl=1500");
        Child node = servers.node(16);
        Client client = new Client(new Settings(servers.address), Manifests.of("full", 1 << 20))) {
      int stored = 0;
      int served = 0; // where all others are leased, the evictor takes the one that was just put
      int refused = 0;
      for (int text = 0; text < 12; text++) {
        BlockKeys keys = client.keys(text, 4);
        Blocks[] saved = new Blocks[1];
        within(1000, "a save", () -> (saved[0] = client.save(keys, Client.in(1000))) != null);
        for (int i = 0; i < 4; i++) {
          BlockStatus status = saved[0].status(i);
          assertTrue(
              status == BlockStatus.OK || status == BlockStatus.CAPACITY, saved[0].toString());
          stored += status == BlockStatus.OK ? 1 : 0;
          refused += status == BlockStatus.CAPACITY ? 1 : 0;
          if (status == BlockStatus.OK) {
            served += Client.count(BlockStatus.OK, client.load(keys.slice(i, i + 1)));
          }
        }
      }
      assertTrue(stored > 12, stored + " blocks were stored");
      assertTrue(served > 12, served + " of " + stored + " were served at once");
      assertTrue(refused > 0, "not one was refused");
      assertEquals(refused, client.metric("pressure.dropped"));
      assertTrue(node.isAlive());
      assertEquals(0, client.metric("breaker.open"), "no room is no outage");
      Client.until(
          "room comes back",
          () -> Client.count(BlockStatus.OK, client.save(client.keys(99, 4))) == 4);
    }
  }

  @Test
  void theMastersPageIsReadAndItsSilenceSaid() throws Exception {
    try (Servers servers = new Servers();
        Child node = servers.node(32)) {
      MasterPage page = new MasterPage(servers.http());
      try (Client client = new Client(new Settings(servers.address))) {
        Client.all(BlockStatus.OK, client.save(client.keys(1, 3)));
        assertTrue(node.isAlive());
        page.ask();
        assertEquals("", page.trouble());
        assertEquals(4, page.figures().get("cluster.keys"), "three blocks and a manifest");
        assertEquals(SEGMENT, page.figures().get("cluster.capacity.bytes"));
        assertTrue(page.figures().get("cluster.used.bytes") >= 3 * Client.BLOCK);
      }
      servers.killMaster();
      page.ask();
      assertTrue(page.trouble().startsWith("the master's HTTP port 127.0.0.1:"), page.trouble());
      assertTrue(page.figures().isEmpty(), "old figures would look like life");
    }
  }

  @Test
  void healthSaysThatTheMastersPageIsSilent() throws Exception {
    Settings settings = new Settings(Rig.master(SEGMENT));
    settings.masterHttp = Optional.of("127.0.0.1:1");
    try (Client client = new Client(settings)) {
      Client.until(
          "health says so",
          () -> client.store.health().detail().startsWith("the master's HTTP port 127.0.0.1:1"));
      assertEquals(StoreHealth.State.DEGRADED, client.store.health().state());
    }
  }
}

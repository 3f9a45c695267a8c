package io.kvasir.examples.redis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvasir.api.ByteSize;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreProvider;
import io.kvasir.conformance.StoreContract;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import redis.clients.jedis.Jedis;

/** The kit on a real Redis server. */
class RedisContractTest extends StoreContract {
  private static RedisServer server;

  private final Map<Path, String> prefixes = new HashMap<>();

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    assumeTrue(
        RedisServer.program().isPresent(),
        "there is no redis-server on the PATH: apt install redis-server, or name one by"
            + " REDIS_SERVER");
    server = RedisServer.start(RedisServer.program().get());
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  @Override
  protected StoreProvider provider() {
    return new RedisProvider();
  }

  @Override
  protected Record configuration(Path directory, ByteSize capacity) {
    return new RedisProvider.Config(server.address(), prefix(directory));
  }

  private String prefix(Path directory) {
    return prefixes.computeIfAbsent(directory, d -> "test" + d.hashCode());
  }

  /** The server lives on when the process of an engine dies. */
  @Override
  protected boolean crash(Path directory, Path left) {
    prefixes.put(left, prefix(directory));
    return true;
  }

  @Override
  protected boolean damageBlock(Store store, BlockKeys keys, int block) {
    return flip(keys.flatKey(block), block % 3);
  }

  @Override
  protected boolean damageManifest(Store store, NamespaceManifest manifest) {
    return flip("kv1:" + manifest.id().prefix() + ":manifest", 1);
  }

  /** At the first byte of a value, amid it, or at the last, which is of its trailer. */
  private boolean flip(String key, int place) {
    String prefix = prefixes.values().iterator().next();
    byte[] name = (prefix + ":" + key).getBytes(StandardCharsets.UTF_8);
    try (Jedis jedis = server.connect()) {
      long at = place * (jedis.strlen(name) - 1) / 2;
      byte[] flipped = jedis.getrange(name, at, at);
      flipped[0] ^= 4;
      return jedis.setrange(name, at, flipped) > 0;
    }
  }
}

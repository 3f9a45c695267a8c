package io.kvasir.examples.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvasir.api.Deadline;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreHealth;
import java.time.Duration;
import java.util.List;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.params.SetParams;
import redis.clients.jedis.resps.ScanResult;

/** All keys of a prefix: {@code PREFIX:kv1:NAMESPACE:…}, a manifest and blocks per namespace. */
final class RedisStore implements Store {
  private static final Duration OPENING = Duration.ofSeconds(10);

  private final Connections connections;
  private final String prefix;

  RedisStore(Connections connections, String prefix) {
    this.connections = connections;
    this.prefix = prefix;
  }

  @Override
  public NamespaceStore open(NamespaceManifest manifest) throws StoreException {
    byte[] key = (prefix + "kv1:" + manifest.id().prefix() + ":manifest").getBytes(UTF_8);
    byte[] stored =
        connections.call(
            Deadline.after(OPENING),
            jedis -> {
              jedis.set(key, manifest.canonical(), SetParams.setParams().nx());
              return jedis.get(key);
            });
    StoreException.unlessSame(new String(key, UTF_8), stored, manifest);
    return new RedisBlocks(connections, prefix);
  }

  @Override
  public void remove(NamespaceId namespace, Deadline deadline) throws StoreException {
    String pattern = literally(prefix) + "kv1:" + namespace.prefix() + ":*";
    ScanParams all = new ScanParams().match(pattern).count(1000);
    String cursor = ScanParams.SCAN_POINTER_START;
    do {
      String from = cursor;
      cursor =
          connections.call(
              deadline,
              jedis -> {
                ScanResult<String> found = jedis.scan(from, all);
                List<String> keys = found.getResult();
                if (!keys.isEmpty()) {
                  jedis.unlink(keys.toArray(String[]::new));
                }
                return found.getCursor();
              });
    } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
  }

  /** {@return a pattern that matches this text alone} */
  private static String literally(String text) {
    return text.replaceAll("[\\\\*?\\[\\]^-]", "\\\\$0");
  }

  @Override
  public StoreHealth health() {
    return connections.health();
  }

  @Override
  public void close() {
    connections.close();
  }
}

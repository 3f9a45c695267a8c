package io.kvasir.examples.redis;

import io.kvasir.api.Deadline;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;
import io.kvasir.api.store.StoreHealth;
import java.util.concurrent.ConcurrentLinkedQueue;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/** Connections to one server, as many as are used at once, each call with its own deadline. */
final class Connections implements AutoCloseable {
  private static final int LONGEST_MILLIS = 60_000;

  private final HostAndPort address;
  private final ConcurrentLinkedQueue<Jedis> idle = new ConcurrentLinkedQueue<>();
  private volatile String failure = "";

  private Connections(HostAndPort address) {
    this.address = address;
  }

  static Connections to(String address) throws StoreException {
    try {
      return new Connections(HostAndPort.from(address));
    } catch (IllegalArgumentException e) {
      throw new StoreException(
          Kind.CONFIGURATION,
          "address: \"%s\" is no host and port; write one such as \"localhost:6379\""
              .formatted(address),
          e);
    }
  }

  /** What is done with a connection. */
  interface Use<T> {
    T with(Jedis jedis) throws StoreException;
  }

  /**
   * {@return what the use returned}
   *
   * @throws StoreException {@code TIMEOUT} if the deadline passed, else {@code IO}
   */
  <T> T call(Deadline deadline, Use<T> use) throws StoreException {
    long left = deadline.remaining().toMillis();
    if (deadline.expired() || left == 0) {
      throw new StoreException(Kind.TIMEOUT, "the deadline had passed before the call began");
    }
    int millis = (int) Math.min(left, LONGEST_MILLIS);
    Jedis jedis = null;
    try {
      jedis = idle.poll();
      if (jedis == null) {
        jedis = connect(millis);
      }
      jedis.getConnection().setSoTimeout(millis);
      T result = use.with(jedis);
      idle.add(jedis);
      failure = "";
      return result;
    } catch (JedisException e) {
      discard(jedis); // an answer may still be on its way
      failure = e.getMessage();
      throw new StoreException(
          deadline.expired() ? Kind.TIMEOUT : Kind.IO, address + ": " + e.getMessage(), e);
    }
  }

  private Jedis connect(int millis) {
    return new Jedis(
        address,
        DefaultJedisClientConfig.builder()
            .connectionTimeoutMillis(millis)
            .socketTimeoutMillis(millis)
            .autoNegotiateProtocol(false)
            .build());
  }

  private static void discard(Jedis jedis) {
    if (jedis != null) {
      try {
        jedis.close();
      } catch (JedisException e) {
        // it is of no use any more
      }
    }
  }

  StoreHealth health() {
    return failure.isEmpty()
        ? StoreHealth.up("Redis at " + address)
        : StoreHealth.down("Redis at %s; the last call failed: %s".formatted(address, failure));
  }

  @Override
  public void close() {
    for (Jedis jedis = idle.poll(); jedis != null; jedis = idle.poll()) {
      discard(jedis);
    }
  }
}

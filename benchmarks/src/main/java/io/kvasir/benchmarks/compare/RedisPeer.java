package io.kvasir.benchmarks.compare;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.Blocks;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** A Redis server of its own on loopback, in memory only; a connection for each caller. */
final class RedisPeer implements Peer {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int CALL_TIMEOUT_MILLIS = 60_000;

  private final Process server;
  private final int port;
  private final Queue<Jedis> idle = new ConcurrentLinkedQueue<>();

  /** Starts the server that {@link Tool#REDIS} names. */
  RedisPeer(Path directory) throws IOException, InterruptedException {
    this.port = freePort();
    ProcessBuilder start =
        new ProcessBuilder(
            Tool.REDIS.program().orElseThrow().toString(),
            "--port",
            "" + port,
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
            "--dir",
            directory.toString(),
            "--logfile",
            directory.resolve("redis.log").toString());
    this.server = start.start();
    // Redis would outlive a JVM that is killed on purpose
    Runtime.getRuntime().addShutdownHook(new Thread(server::destroyForcibly));
    awaitAnswer();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private void awaitAnswer() throws IOException, InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try (Jedis jedis = connect()) {
        jedis.ping();
        return;
      } catch (JedisConnectionException e) {
        if (!server.isAlive() || System.nanoTime() > end) {
          throw new IOException("the Redis server does not answer", e);
        }
        Thread.sleep(20);
      }
    }
  }

  private Jedis connect() {
    return new Jedis(
        new HostAndPort("127.0.0.1", port),
        DefaultJedisClientConfig.builder()
            .socketTimeoutMillis(CALL_TIMEOUT_MILLIS)
            .autoNegotiateProtocol(false)
            .build());
  }

  private interface Use<T> {
    T on(Jedis jedis);
  }

  private <T> T with(Use<T> use) {
    Jedis jedis = idle.poll();
    if (jedis == null) {
      jedis = connect();
    }
    T result = use.on(jedis);
    idle.add(jedis);
    return result;
  }

  @Override
  public void put(Blocks from) {
    with(
        jedis -> {
          Pipeline pipeline = jedis.pipelined();
          for (int i = 0; i < from.count(); i++) {
            byte[] block = from.frame(i).payload().toArray(ValueLayout.JAVA_BYTE);
            pipeline.set(from.keys().hash(i), block);
          }
          pipeline.sync();
          return null;
        });
  }

  @Override
  public void get(Blocks into) throws IOException {
    byte[][] keys = new byte[into.count()][];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = into.keys().hash(i);
    }
    List<byte[]> blocks = with(jedis -> jedis.mget(keys));
    for (int i = 0; i < keys.length; i++) {
      if (blocks.get(i) == null) {
        throw new IOException("Redis has no block %d of %s".formatted(i, into.keys()));
      }
      into.frame(i).payload().copyFrom(MemorySegment.ofArray(blocks.get(i)));
    }
  }

  @Override
  public int prefix(BlockKeys keys) {
    return with(
        jedis -> {
          Pipeline pipeline = jedis.pipelined();
          List<Response<Boolean>> there = new ArrayList<>();
          for (int i = 0; i < keys.count(); i++) {
            there.add(pipeline.exists(keys.hash(i)));
          }
          pipeline.sync();
          int found = 0;
          while (found < keys.count() && there.get(found).get()) {
            found++;
          }
          return found;
        });
  }

  @Override
  public double serverCpuSeconds() {
    String info = with(jedis -> jedis.info("cpu"));
    return info.lines()
        .map(line -> line.split(":", 2))
        .filter(part -> Map.of("used_cpu_sys", 1, "used_cpu_user", 1).containsKey(part[0]))
        .mapToDouble(part -> Double.parseDouble(part[1].strip()))
        .sum();
  }

  @Override
  public void close() throws IOException {
    idle.forEach(Jedis::close);
    server.destroy();
    try {
      if (!server.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        server.destroyForcibly();
      }
    } catch (InterruptedException e) {
      server.destroyForcibly();
      throw new IOException("interrupted", e);
    }
  }
}

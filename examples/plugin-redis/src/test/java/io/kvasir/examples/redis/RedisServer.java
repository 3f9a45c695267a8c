package io.kvasir.examples.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** A Redis server of a test, on loopback and in memory. */
final class RedisServer implements AutoCloseable {
  private final Process process;
  private final int port;

  private RedisServer(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /** {@return the program: what REDIS_SERVER names, or redis-server on the PATH} */
  static Optional<Path> program() {
    String named = System.getenv().getOrDefault("REDIS_SERVER", "");
    if (!named.isEmpty()) {
      return Optional.of(Path.of(named));
    }
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(":", -1))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, "redis-server"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  static RedisServer start(Path program) throws IOException, InterruptedException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    Process process =
        new ProcessBuilder(
                program.toString(), "--port", "" + port, "--bind", "127.0.0.1", "--save", "")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    RedisServer server = new RedisServer(process, port);
    for (int attempt = 0; ; attempt++) {
      try (Jedis jedis = server.connect()) {
        jedis.ping();
        return server;
      } catch (JedisConnectionException e) {
        if (attempt == 500 || !process.isAlive()) {
          throw new IOException(program + " does not answer", e);
        }
        Thread.sleep(20);
      }
    }
  }

  Jedis connect() {
    return new Jedis("127.0.0.1", port);
  }

  String address() {
    return "127.0.0.1:" + port;
  }

  @Override
  public void close() {
    process.destroy();
  }
}

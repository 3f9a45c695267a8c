package io.kvasir.plugin.mooncake;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the master says of the whole cluster at its HTTP port. It is asked in the background; what
 * it said last is kept. Thread-safe.
 */
final class MasterPage {
  private static final int TIMEOUT_MILLIS = 1000;
  private static final Pattern LINE = Pattern.compile("(?m)^(master_[a-z_]+) ([0-9.e+]+)$");
  private static final Map<String, String> WANTED =
      Map.of(
          "master_key_count", "cluster.keys",
          "master_total_capacity_bytes", "cluster.capacity.bytes",
          "master_allocated_bytes", "cluster.used.bytes");

  private final String address;
  private volatile Map<String, Long> figures = Map.of();
  private volatile String trouble = "";

  /**
   * @param address host:port
   */
  MasterPage(String address) {
    if (!address.matches("(\\[[0-9a-fA-F:.]+]|[^/\\s:@]+):[0-9]{1,5}")) {
      throw new IllegalArgumentException(
          "master-http: \"%s\" is not host:port; write it as in \"10.0.0.7:9003\""
              .formatted(address));
    }
    this.address = address;
  }

  /** Asks the master. */
  void ask() {
    try {
      HttpURLConnection connection =
          (HttpURLConnection) URI.create("http://" + address + "/metrics").toURL().openConnection();
      connection.setConnectTimeout(TIMEOUT_MILLIS);
      connection.setReadTimeout(TIMEOUT_MILLIS);
      try {
        if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
          throw new IOException("HTTP " + connection.getResponseCode());
        }
        figures =
            read(new String(connection.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        trouble = "";
      } finally {
        connection.disconnect();
      }
    } catch (IOException e) {
      figures = Map.of(); // old figures of a dead master would look like life
      trouble = "the master's HTTP port %s does not answer: %s".formatted(address, e);
    }
  }

  private static Map<String, Long> read(String text) {
    Map<String, Long> out = new TreeMap<>();
    Matcher line = LINE.matcher(text);
    while (line.find()) {
      String name = WANTED.get(line.group(1));
      if (name != null) {
        out.put(name, (long) Double.parseDouble(line.group(2)));
      }
    }
    return out;
  }

  /** {@return what it said last, by our names; nothing if it did not answer} */
  Map<String, Long> figures() {
    return figures;
  }

  /** {@return why it did not answer, or an empty text} */
  String trouble() {
    return trouble;
  }
}

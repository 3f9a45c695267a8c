package io.kvasir.plugin.mooncake;

import io.kvasir.api.ByteSize;
import io.kvasir.api.store.StoreException;
import io.kvasir.plugin.mooncake.MooncakeConfig.Protocol;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code setup} gets, checked: some of its mistakes end the process and others take minutes.
 *
 * @param host this machine, without a port: with one, two clients could bear one name
 * @param metadata where segments are announced
 * @param segment bytes that this process adds to the cluster: 0, or 16 MiB and more
 * @param buffer bytes of the library's own buffer
 * @param protocol how bytes travel
 * @param device RDMA devices, or empty
 * @param master host:port
 */
record ClientSettings(
    String host,
    String metadata,
    long segment,
    long buffer,
    Protocol protocol,
    String device,
    String master) {
  private static final Pattern METADATA =
      Pattern.compile(
          "P2PHANDSHAKE|https?://(\\[[0-9a-fA-F:.]+]|[^/\\s:@\\[\\]]+):[0-9]{1,5}/metadata");
  private static final Pattern ADDRESS =
      Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^/\\s:@\\[\\]]+):([0-9]{1,5})");
  private static final long LEAST_SEGMENT = 16L << 20;

  /** Checks everything that the library would answer by ending the process, or late. */
  ClientSettings {
    check(
        METADATA.matcher(metadata).matches(),
        "metadata: \"%s\" is neither P2PHANDSHAKE nor http://host:port/metadata; the library ends"
            + " the process at anything else",
        metadata);
    Matcher address = ADDRESS.matcher(master);
    check(
        address.matches() && Integer.parseInt(address.group(2)) < 1 << 16,
        "master: \"%s\" is not host:port; write it as in \"10.0.0.7:50051\"",
        master);
    check(
        !host.isBlank() && host.indexOf('\0') < 0 && !portGiven(host),
        "host: \"%s\" is not a name or an address without a port; write one such as \"10.0.0.8\"",
        host);
    check(
        segment == 0 || segment >= LEAST_SEGMENT,
        "segment: %s is less than 16MiB; write 0 for none",
        segment);
    check(buffer >= 0, "buffer: %s is negative; write 0 for none", buffer);
    check(device.indexOf('\0') < 0, "device: \"%s\" holds a NUL; leave it out", device);
  }

  private static boolean portGiven(String host) {
    boolean oneColon = host.indexOf(':') >= 0 && host.indexOf(':') == host.lastIndexOf(':');
    return oneColon || host.contains("]:");
  }

  private static void check(boolean right, String message, Object value) {
    if (!right) {
      throw new IllegalArgumentException(message.formatted(value));
    }
  }

  /**
   * {@return the settings: our own, then the Python connectors' file, then the defaults}
   *
   * @throws StoreException {@code CONFIGURATION} if one is missing or wrong
   */
  static ClientSettings of(MooncakeConfig own, Map<String, String> environment)
      throws StoreException {
    ConnectorFile file = ConnectorFile.of(own.connectorFile(), environment);
    try {
      String master =
          own.master()
              .or(() -> file.text("master_server_address"))
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "master: missing; write host:port, or name a mooncake.json that has"
                              + " master_server_address in connector-file or "
                              + ConnectorFile.VARIABLE));
      return new ClientSettings(
          own.host().or(() -> file.text("local_hostname")).orElseGet(() -> hostTowards(master)),
          own.metadata().or(() -> file.text("metadata_server")).orElse("P2PHANDSHAKE"),
          size(own.segment(), file.size("global_segment_size")),
          size(own.buffer(), file.size("local_buffer_size")),
          own.protocol().isPresent() ? own.protocol().get() : protocol(file),
          own.device().or(() -> file.text("device_name")).orElse(""),
          master);
    } catch (IllegalArgumentException e) {
      throw new StoreException(
          StoreException.Kind.CONFIGURATION,
          file.source().isEmpty()
              ? e.getMessage()
              : e.getMessage() + "; read with " + file.source(),
          e);
    }
  }

  private static long size(Optional<ByteSize> own, Optional<Long> file) {
    return own.map(ByteSize::bytes).or(() -> file).orElse(0L);
  }

  private static Protocol protocol(ConnectorFile file) {
    String name = file.text("protocol").orElse("tcp");
    return Arrays.stream(Protocol.values())
        .filter(p -> p.name().equals(name.toUpperCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "protocol: \"%s\" is neither tcp nor rdma".formatted(name)));
  }

  /** {@return the own address that packets to the master would bear; none is sent} */
  private static String hostTowards(String master) {
    Matcher address = ADDRESS.matcher(master);
    if (address.matches()) {
      try (DatagramSocket socket = new DatagramSocket()) {
        String name = address.group(1).replaceAll("[\\[\\]]", "");
        socket.connect(new InetSocketAddress(name, Integer.parseInt(address.group(2))));
        if (socket.getLocalAddress() != null && !socket.getLocalAddress().isAnyLocalAddress()) {
          return socket.getLocalAddress().getHostAddress();
        }
      } catch (SocketException | RuntimeException e) {
        // said below, with the way out
      }
    }
    throw new IllegalArgumentException(
        "host: missing, and no way to the master \"%s\" tells this machine's address; write it"
            .formatted(master));
  }

  /** {@return these settings for a client that only looks} */
  ClientSettings withoutSegment() {
    return new ClientSettings(host, metadata, 0, buffer, protocol, device, master);
  }

  /** {@return the protocol as the library writes it} */
  String protocolName() {
    return protocol.name().toLowerCase(Locale.ROOT);
  }
}

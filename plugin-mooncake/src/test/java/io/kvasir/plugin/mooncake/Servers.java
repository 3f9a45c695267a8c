package io.kvasir.plugin.mooncake;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A cluster of processes of a test's own, to be killed and frozen: the stand-in's programs, or
 * Mooncake's where {@link Rig} names a real library and {@code MOONCAKE_PROGRAMS} their folder.
 */
final class Servers implements AutoCloseable {
  private final String[] masterFlags;
  private final List<Child> nodes = new ArrayList<>();
  private final String http = "127.0.0.1:" + freePort();
  private Child master;

  /** Where the master is. */
  final String address = "127.0.0.1:" + freePort();

  /** Starts a master with these flags of {@code mooncake_master}, and no storage yet. */
  Servers(String... masterFlags) throws Exception {
    this.masterFlags = masterFlags;
    startMaster();
  }

  private static int freePort() {
    try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return any.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String port(String address) {
    return address.substring(address.lastIndexOf(':') + 1);
  }

  /** Starts the master where it was, and waits until it answers. */
  void startMaster() throws Exception {
    List<String> flags = new ArrayList<>(List.of(masterFlags));
    flags.add("--rpc_address=127.0.0.1");
    flags.add("--rpc_port=" + port(address));
    flags.add("--metrics_port=" + port(http));
    master = Child.program("master", flags);
    Client.until("the master answers", () -> !figures().isEmpty());
  }

  void killMaster() {
    master.kill();
  }

  /** Starts a storage node of so many MiB, and waits until the master knows it. */
  Child node(int mebibytes) throws Exception {
    long before = capacity();
    Child node =
        Child.program(
            "client",
            List.of(
                "--master_server_address=" + address,
                "--metadata_server=P2PHANDSHAKE",
                "--host=127.0.0.1",
                "--port=" + freePort(),
                "--global_segment_size=" + mebibytes + "MB",
                "--protocol=tcp"));
    nodes.add(node);
    Client.until("the node is there", () -> capacity() != before);
    return node;
  }

  /** {@return the master's HTTP port} */
  String http() {
    return http;
  }

  private long capacity() {
    return figures().getOrDefault("cluster.capacity.bytes", 0L);
  }

  private Map<String, Long> figures() {
    MasterPage page = new MasterPage(http);
    page.ask();
    return page.figures();
  }

  @Override
  public void close() {
    nodes.forEach(Child::close);
    master.close();
  }
}

package io.kvasir.plugin.mooncake;

import io.kvasir.api.ByteSize;
import io.kvasir.api.store.DeviceMemory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A configuration in the making: the defaults, but for what a test changes. */
final class Settings {
  Optional<Path> library = Optional.of(Rig.library());
  Optional<Path> connectorFile = Optional.empty();
  Optional<String> master;
  Optional<String> metadata = Optional.empty();
  Optional<String> host = Optional.of("127.0.0.1");
  Optional<MooncakeConfig.Protocol> protocol = Optional.empty();
  Optional<String> device = Optional.empty();
  Optional<ByteSize> segment = Optional.empty();
  int replicas = 1;
  MooncakeConfig.Pin pin = MooncakeConfig.Pin.NONE;
  List<String> preferredSegments = List.of();
  Optional<String> masterHttp = Optional.empty();
  boolean verifySaves = true;
  ByteSize leased = new ByteSize(1 << 30);
  Duration leaseRenewal = Duration.ofSeconds(3);
  int breakerFailures = 3;
  Duration breakerDelay = Duration.ofMillis(50);
  int abandonedCalls = 16;

  Settings(String master) {
    this.master = Optional.of(master);
  }

  MooncakeConfig config() {
    return new MooncakeConfig(
        library,
        connectorFile,
        master,
        metadata,
        host,
        protocol,
        device,
        segment,
        Optional.empty(),
        replicas,
        pin,
        preferredSegments,
        masterHttp,
        verifySaves,
        leased,
        leaseRenewal,
        breakerFailures,
        breakerDelay,
        abandonedCalls,
        Duration.ofSeconds(10),
        1,
        MooncakeConfig.LogLevel.ERROR,
        DeviceMemory.Way.AUTO);
  }
}

package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvasir.api.ByteSize;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.conformance.speed.DiskYardstick;
import io.kvasir.conformance.speed.SpeedReport;
import io.kvasir.conformance.speed.StoreSpeed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kit's measurement knows a store on disk when it sees one. */
class SpeedTest {
  private static final ByteSize ROOM = new ByteSize(48 << 20);

  @TempDir Path folder;
  private LocalStore store;

  @Test
  void aStoreOnDiskIsMeasuredAgainstItsDisk() throws Exception {
    assumeTrue(direct(), "the file system of " + folder + " has no direct I/O");
    LocalConfig config = Fixture.config(folder.resolve("store"), ROOM.bytes());
    store = Fixture.open(config);
    SpeedReport report =
        StoreSpeed.of(store, config.directory(), ROOM, Optional.of(() -> again(config)));
    store.close();
    assertEquals("", report.trouble());
    assertEquals(
        List.of("the disk", "the disk", "the disk"),
        report.lines().subList(0, 3).stream().map(SpeedReport.Line::against).toList());
    if (Files.isReadable(Path.of("/proc/self/io"))) {
      String cold = report.lines().get(1).toString();
      assertTrue(cold.endsWith("100 % of it came from the device"), cold);
    }
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(List.of(config.directory()), left.toList(), "the yardstick's file is gone");
    }
  }

  private Store again(LocalConfig config) throws StoreException {
    store.close();
    try {
      store = Fixture.open(config);
      return store;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean direct() throws IOException {
    try (DiskYardstick yardstick = new DiskYardstick(folder, 1, 4096)) {
      return yardstick.name().equals("the disk");
    } catch (IOException e) {
      return false;
    }
  }
}

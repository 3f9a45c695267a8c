package io.kvasir.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.cuda.standin.StandIn;
import io.kvasir.cuda.standin.StandInGpu;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every binding of the driver does, on the stand-in. */
abstract class DriverContract {
  private final StandIn standIn = StandIn.load();
  private final StandInGpu engine = new StandInGpu(standIn);
  private final Arena arena = Arena.ofConfined();
  private Driver driver;
  private long context;
  private long stream;
  private long event;

  abstract Driver bind(SymbolLookup symbols);

  @BeforeEach
  void open() throws CudaException {
    standIn.version(12080);
    driver = bind(Presence.driver(Bench.LOG).orElseThrow());
    driver.init();
    context = driver.retainContext(0);
    driver.makeCurrent(context);
    stream = driver.createStream();
    event = driver.createEvent();
  }

  @AfterEach
  void close() throws CudaException {
    standIn.version(12080);
    standIn.recover();
    driver.makeCurrent(context);
    driver.destroyStream(stream);
    driver.destroyEvent(event);
    driver.releaseContext(0);
    engine.close();
    arena.close();
    assertEquals(StandIn.NOTHING, standIn.live());
    assertEquals(0, standIn.count("faults"));
  }

  private void finish() throws CudaException {
    driver.record(event, stream);
    while (!driver.done(event)) {
      Thread.onSpinWait();
    }
  }

  private MemorySegment pinned(int bytes) throws CudaException {
    MemorySegment memory = arena.allocate(bytes, 4096);
    driver.pin(memory.address(), bytes);
    return memory;
  }

  private static byte[] random(int bytes) {
    byte[] out = new byte[bytes];
    new SplittableRandom(bytes).nextBytes(out);
    return out;
  }

  @Test
  void saysWhatDriverAndDevicesThereAre() throws CudaException {
    assertEquals(12080, driver.version());
    assertEquals(1, driver.devices());
    assertEquals("Kvasir driver stand-in", driver.name(0));
  }

  @Test
  void aDeviceThatIsNotThereIsAnErrorWithItsCode() {
    CudaException e = assertThrows(CudaException.class, () -> driver.name(3));
    assertEquals(101, e.code());
    assertEquals("cuDeviceGet: CUDA error 101, invalid device", e.getMessage());
    assertFalse(e.sticky());
  }

  @Test
  void copiesGoBothWays() throws CudaException {
    MemorySegment host = pinned(5000);
    long device = driver.allocate(5000);
    host.copyFrom(MemorySegment.ofArray(random(5000)));
    driver.copyIn(device + 1, host.address(), 4000, stream);
    finish();
    host.fill((byte) 0);
    driver.copyOut(host.address() + 7, device + 1, 4000, stream);
    finish();
    byte[] expected = new byte[5000];
    System.arraycopy(random(5000), 0, expected, 7, 4000);
    assertArrayEquals(expected, host.toArray(ValueLayout.JAVA_BYTE));
    driver.free(device);
    driver.unpin(host.address());
  }

  @Test
  void rowsKeepTheirPitches() throws CudaException {
    MemorySegment host = pinned(4096);
    long device = driver.allocate(4096);
    engine.write(device, random(4096));
    engine.synchronize(engine.stream());
    driver.copyRowsOut(host.address(), 300, device, 128, 100, 7, stream);
    finish();
    byte[] expected = new byte[4096];
    for (int row = 0; row < 7; row++) {
      System.arraycopy(random(4096), row * 128, expected, row * 300, 100);
    }
    assertArrayEquals(expected, host.toArray(ValueLayout.JAVA_BYTE));
    driver.copyRowsIn(device, 110, host.address(), 300, 100, 7, stream);
    finish();
    byte[] back = random(4096);
    for (int row = 0; row < 7; row++) {
      System.arraycopy(expected, row * 300, back, row * 110, 100);
    }
    assertArrayEquals(back, engine.peek(device, 4096));
    driver.free(device);
    driver.unpin(host.address());
  }

  @Test
  void anEventIsDoneWhenItsStreamHasComeThere() throws CudaException {
    engine.hold(stream);
    driver.record(event, stream);
    assertFalse(driver.done(event));
    engine.release(stream);
    driver.synchronize(stream);
    assertTrue(driver.done(event));
  }

  @Test
  void aStreamWaitsForAnEventOfAnother() throws CudaException {
    long other = driver.createStream();
    long reached = driver.createEvent();
    engine.hold(stream);
    driver.record(event, stream);
    driver.await(other, event);
    driver.record(reached, other);
    assertFalse(driver.done(reached));
    engine.release(stream);
    driver.synchronize(other);
    assertTrue(driver.done(event) && driver.done(reached));
    driver.destroyStream(other);
    driver.destroyEvent(reached);
  }

  @Test
  void addressesAreToldApart() throws CudaException {
    MemorySegment plain = arena.allocate(4096, 4096);
    MemorySegment pinned = pinned(4096);
    long allocated = driver.allocateHost(4096);
    long device = driver.allocate(4096);
    assertEquals(Driver.PAGEABLE, driver.memoryType(plain.address()));
    assertEquals(Driver.HOST, driver.memoryType(pinned.address() + 4095));
    assertEquals(Driver.HOST, driver.memoryType(allocated));
    assertEquals(Driver.DEVICE, driver.memoryType(device + 4095));
    assertEquals(0, driver.deviceOf(device));
    driver.free(device);
    driver.freeHost(allocated);
    driver.unpin(pinned.address());
    assertEquals(Driver.PAGEABLE, driver.memoryType(pinned.address()));
  }

  @Test
  void memoryIsNotPinnedTwice() throws CudaException {
    MemorySegment memory = pinned(8192);
    CudaException e =
        assertThrows(CudaException.class, () -> driver.pin(memory.address() + 4096, 4096));
    assertEquals(712, e.code());
    driver.unpin(memory.address());
    assertEquals(
        713, assertThrows(CudaException.class, () -> driver.unpin(memory.address())).code());
  }

  @Test
  void failuresHaveTheCallAndTheCode() throws CudaException {
    standIn.fail("cuMemAlloc_v2", 0, CudaException.OUT_OF_MEMORY, 1);
    CudaException e = assertThrows(CudaException.class, () -> driver.allocate(4096));
    assertEquals("cuMemAlloc: CUDA error 2, out of memory", e.getMessage());
    assertEquals(400, assertThrows(CudaException.class, () -> driver.done(4096)).code());
    driver.free(driver.allocate(4096));
  }

  @Test
  void aLostDeviceAnswersEveryCallWithAStickyError() {
    standIn.lose();
    CudaException e = assertThrows(CudaException.class, () -> driver.createStream());
    assertTrue(e.sticky(), e::getMessage);
  }

  @Test
  void batchesAreThereFromDriver128OnInTwoShapes() throws CudaException {
    MemorySegment host = pinned(8192);
    long device = driver.allocate(8192);
    engine.write(device, random(8192));
    engine.synchronize(engine.stream());
    for (int version : new int[] {12060, 12080, 13000}) {
      standIn.version(version);
      driver.init();
      assertEquals(version >= 12080, driver.batches());
      if (driver.batches()) {
        host.fill((byte) 0);
        long before = standIn.count("batches");
        driver.copyBatch(
            arena.allocateFrom(ValueLayout.JAVA_LONG, host.address(), host.address() + 4096),
            arena.allocateFrom(ValueLayout.JAVA_LONG, device + 100, device),
            arena.allocateFrom(ValueLayout.JAVA_LONG, 50, 7),
            2,
            version >= 13000,
            stream);
        finish();
        byte[] expected = new byte[8192];
        System.arraycopy(random(8192), 100, expected, 0, 50);
        System.arraycopy(random(8192), 0, expected, 4096, 7);
        assertArrayEquals(expected, host.toArray(ValueLayout.JAVA_BYTE));
        assertEquals(before + 1, standIn.count("batches"));
      }
    }
    driver.free(device);
    driver.unpin(host.address());
  }

  @Test
  void kernelsRunWithTheParametersOfTheLaunch() throws CudaException, IOException {
    String ptx;
    try (InputStream in = Gpu.class.getResourceAsStream("kernels.ptx")) {
      ptx = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    }
    long module = driver.load(ptx);
    assertEquals(
        500, assertThrows(CudaException.class, () -> driver.function(module, "none")).code());
    long gather = driver.function(module, "kvasir_gather");
    long cache = driver.allocate(64 * 8);
    engine.write(cache, random(512));
    long table = driver.allocate(8 * 8);
    long out = driver.allocate(4096);
    MemorySegment words = pinned(4096);
    long[] values = {cache, 64, 64, 64, 1, 0, 5, 2}; // one plane; rows 5 and 2
    MemorySegment.copy(values, 0, words, ValueLayout.JAVA_LONG, 0, values.length);
    driver.copyIn(table, words.address(), 64, stream);
    engine.synchronize(engine.stream());
    MemorySegment arguments = arena.allocateFrom(ValueLayout.JAVA_LONG, table, 1, out, 80);
    MemorySegment parameters = arena.allocate(ValueLayout.JAVA_LONG, 4);
    for (int i = 0; i < 4; i++) {
      parameters.setAtIndex(ValueLayout.JAVA_LONG, i, arguments.address() + i * 8L);
    }
    driver.launch(gather, 1, 2, 1, 32, parameters.address(), stream);
    arguments.fill((byte) 0); // they were read
    finish();
    byte[] expected = new byte[144];
    java.util.Arrays.fill(expected, (byte) 0xCD);
    System.arraycopy(random(512), 5 * 64, expected, 0, 64);
    System.arraycopy(random(512), 2 * 64, expected, 80, 64);
    assertArrayEquals(expected, engine.peek(out, 144));
    driver.unload(module);
    for (long address : new long[] {cache, table, out}) {
      driver.free(address);
    }
    driver.unpin(words.address());
  }
}

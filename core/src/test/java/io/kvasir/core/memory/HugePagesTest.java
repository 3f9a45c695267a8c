package io.kvasir.core.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HugePagesTest {
  private static final long MIB = 1 << 20;

  @ParameterizedTest
  @ValueSource(longs = {64, 4096, 2 * MIB - 1, 2 * MIB, 9 * MIB + 4096})
  void memoryIsZeroedAlignedAndEndsWithItsArena(long bytes) {
    MemorySegment memory;
    try (Arena arena = Arena.ofShared()) {
      memory = HugePages.allocate(arena, bytes, 4096);
      assertEquals(bytes, memory.byteSize());
      assertEquals(0, memory.address() % 4096);
      assertEquals(-1, memory.mismatch(MemorySegment.ofArray(new byte[(int) bytes])));
      memory.fill((byte) 1);
    }
    assertThrows(IllegalStateException.class, () -> memory.get(ValueLayout.JAVA_BYTE, 0));
  }

  @Test
  void largeMemoryLiesOnHugePagesWhereTheSystemGivesThemOnRequest() throws IOException {
    Path setting = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
    assumeTrue(
        Files.isReadable(setting) && Files.readString(setting).contains("[madvise]"),
        "needs a Linux with transparent huge pages on request (" + setting + ": madvise)");
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = HugePages.allocate(arena, 16 * MIB, 4096);
      assertTrue(hugeKib(memory) >= 8 << 10, "not even half of it");
      assertEquals(0, memory.address() % (2 * MIB));
    }
  }

  /** What the kernel says of the mapping that the memory lies in. */
  private static long hugeKib(MemorySegment memory) throws IOException {
    List<String> lines = Files.readAllLines(Path.of("/proc/self/smaps"));
    boolean inside = false;
    for (String line : lines) {
      if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
        String[] range = line.split("[- ]", 3);
        inside =
            Long.parseUnsignedLong(range[0], 16) <= memory.address()
                && memory.address() < Long.parseUnsignedLong(range[1], 16);
      } else if (inside && line.startsWith("AnonHugePages:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    return 0;
  }
}

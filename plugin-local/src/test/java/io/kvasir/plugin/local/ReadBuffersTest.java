package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadBuffersTest {
  private final List<Long> allocated = new ArrayList<>();
  private final IoMemory memory =
      (arena, bytes, alignment) -> {
        allocated.add(bytes);
        return arena.allocate(bytes, alignment);
      };

  /** Log and checkpoint are read side by side: five times a slot of a GiB would be too much. */
  @Test
  void aSmallReadTakesNoMemoryForALargeOne() {
    long large = 8 << 20;
    try (ReadBuffers buffers = new ReadBuffers(memory, large)) {
      ReadBuffers.Buffer slot = buffers.take(large);
      ReadBuffers.Buffer pages = buffers.take(2 << 20);
      assertEquals(List.of(large, 2L << 20), allocated);
      slot.close();
      pages.close();
      try (ReadBuffers.Buffer again = buffers.take(4096);
          ReadBuffers.Buffer slotAgain = buffers.take(large)) {
        assertEquals(4096, again.bytes().byteSize());
        assertEquals(large, slotAgain.bytes().byteSize());
        assertEquals(2, allocated.size());
      }
    }
  }
}

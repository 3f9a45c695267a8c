package io.kvasir.plugin.local;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Where memory for the store's own reads comes from. */
interface IoMemory {
  /** Of whatever pages there are. */
  IoMemory PLAIN = Arena::allocate;

  MemorySegment allocate(Arena arena, long bytes, long alignment);
}

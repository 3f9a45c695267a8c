package io.kvasir.plugin.mooncake;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * How a put is kept, as the library reads it: 32 bytes of {@code size_t replica_num @0, int
 * with_soft_pin @8, int with_hard_pin @12, const char** preferred_segments @16, size_t count @24}.
 */
final class Replication {
  /** One copy, no pin: the library's default. */
  static final long DEFAULT = 0;

  private static final int BYTES = 32;

  private Replication() {}

  /**
   * {@return its address, good as long as the arena}
   *
   * @param replicas at least 1: the library answers 0 with -600
   */
  static long of(Arena arena, int replicas, MooncakeConfig.Pin pin, List<String> segments) {
    if (replicas < 1) {
      throw new IllegalArgumentException(
          "replicas: %d is less than 1; write how many copies there shall be".formatted(replicas));
    }
    if (replicas == 1 && pin == MooncakeConfig.Pin.NONE && segments.isEmpty()) {
      return DEFAULT;
    }
    MemorySegment names = arena.allocate(ValueLayout.ADDRESS, Math.max(1, segments.size()));
    for (int i = 0; i < segments.size(); i++) {
      names.setAtIndex(ValueLayout.ADDRESS, i, Texts.utf8(arena, segments.get(i)));
    }
    MemorySegment struct = arena.allocate(BYTES, 8);
    struct.set(ValueLayout.JAVA_LONG, 0, replicas);
    struct.set(ValueLayout.JAVA_INT, 8, pin == MooncakeConfig.Pin.SOFT ? 1 : 0);
    struct.set(ValueLayout.JAVA_INT, 12, pin == MooncakeConfig.Pin.HARD ? 1 : 0);
    struct.set(ValueLayout.ADDRESS, 16, names);
    struct.set(ValueLayout.JAVA_LONG, 24, segments.size());
    return struct.address();
  }
}

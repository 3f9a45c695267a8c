package io.kvasir.plugin.mooncake;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/** Texts as C reads them: UTF-8, ended by a NUL. */
final class Texts {
  private Texts() {}

  /**
   * {@return the text in native memory}
   *
   * @throws IllegalArgumentException if it is empty, or C would cut it at a NUL
   */
  static MemorySegment utf8(Arena arena, String text) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException("an empty name: the library refuses it");
    }
    return optional(arena, text);
  }

  /** {@return the text, which may be empty, in native memory} */
  static MemorySegment optional(Arena arena, String text) {
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "\"%s\" holds a NUL, where the library would cut it"
              .formatted(text.replace("\0", "\\0")));
    }
    return arena.allocateFrom(text, StandardCharsets.UTF_8);
  }
}

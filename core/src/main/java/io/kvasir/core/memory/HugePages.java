package io.kvasir.core.memory;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Native memory on huge pages, where the system has them: direct I/O of large blocks from pages of
 * 4 KiB is slower and costs several times the CPU. The system is asked before the first touch,
 * which {@link Arena#allocate} would be. Anywhere else, or where this module may not call native
 * functions, it is the arena's own memory.
 */
@SuppressWarnings("restricted") // the core is granted native access, or does without
public final class HugePages {
  private static final long PAGE = 2 << 20;
  private static final int READ_WRITE = 3;
  private static final int PRIVATE_ANONYMOUS = 0x22;
  private static final int ADVISE_HUGE = 14;

  private static final boolean THERE =
      System.getProperty("os.name").equals("Linux")
          && HugePages.class.getModule().isNativeAccessEnabled();

  private HugePages() {}

  /** The functions of the C library, bound when the first piece is allocated. */
  private static final class Native {
    static final MethodHandle MAP =
        bind("mmap", ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG);
    static final MethodHandle ADVISE = bind("madvise", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
    static final MethodHandle UNMAP = bind("munmap", JAVA_INT, ADDRESS, JAVA_LONG);

    private static MethodHandle bind(
        String function, MemoryLayout result, MemoryLayout... parameters) {
      Linker linker = Linker.nativeLinker();
      return linker.downcallHandle(
          linker.defaultLookup().findOrThrow(function), FunctionDescriptor.of(result, parameters));
    }
  }

  /**
   * {@return zeroed memory that lives as long as the arena}
   *
   * @param bytes less than a huge page is the arena's own memory
   * @param alignment a power of two, up to a huge page's
   */
  public static MemorySegment allocate(Arena arena, long bytes, long alignment) {
    if (!THERE || bytes < PAGE || alignment > PAGE) {
      return arena.allocate(bytes, alignment);
    }
    long mapped = bytes + PAGE; // so that a page boundary lies in it
    MemorySegment memory;
    try {
      memory =
          (MemorySegment)
              Native.MAP.invokeExact(
                  MemorySegment.NULL, mapped, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0L);
    } catch (Throwable e) {
      throw new LinkageError("mmap", e);
    }
    if (memory.address() == -1) {
      throw new OutOfMemoryError("no " + mapped + " bytes of native memory for frames");
    }
    memory = memory.reinterpret(mapped, arena, HugePages::unmap);
    MemorySegment aligned = memory.asSlice(-memory.address() & (PAGE - 1), bytes);
    advise(aligned);
    return aligned.fill((byte) 0); // now and not under the first block
  }

  /** A refusal costs speed only. */
  private static void advise(MemorySegment memory) {
    try {
      int ignored = (int) Native.ADVISE.invokeExact(memory, memory.byteSize(), ADVISE_HUGE);
    } catch (Throwable e) {
      throw new LinkageError("madvise", e);
    }
  }

  private static void unmap(MemorySegment memory) {
    try {
      int ignored = (int) Native.UNMAP.invokeExact(memory, memory.byteSize());
    } catch (Throwable e) {
      throw new LinkageError("munmap", e);
    }
  }
}

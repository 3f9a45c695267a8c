package io.kvasir.plugin.mooncake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.store.StoreException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;

/** Values as another client of the cluster writes and reads them. */
final class Raw {
  private Raw() {}

  private static long with(String master, ToLongFunction<Session> work) throws StoreException {
    Abi abi =
        StoreLibrary.load(Optional.of(Rig.library()), Map.of(), Map.of("MC_LOG_LEVEL", "ERROR"));
    Session session = Session.open(abi, ClientSettings.of(new Settings(master).config(), Map.of()));
    try {
      return work.applyAsLong(session);
    } finally {
      assertTrue(session.close(Duration.ofSeconds(10)));
    }
  }

  /** Removes everything of everybody. */
  static void empty(String master) {
    try {
      long removed = with(master, s -> s.abi().removeAll(s.handle(), 1));
      assertTrue(removed >= 0, "remove_all returned " + removed);
    } catch (StoreException e) {
      throw new AssertionError(e);
    }
  }

  static void put(String master, String key, byte[] value) throws StoreException {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment bytes = arena.allocate(value.length).copyFrom(MemorySegment.ofArray(value));
      long name = Texts.utf8(arena, key).address();
      long code =
          with(master, s -> s.abi().putFrom(s.handle(), name, bytes.address(), value.length, 0));
      assertEquals(0, code, key);
    }
  }

  static long size(String master, String key) throws StoreException {
    try (Arena arena = Arena.ofShared()) {
      long name = Texts.utf8(arena, key).address();
      return with(master, s -> s.abi().getSize(s.handle(), name));
    }
  }

  static byte[] get(String master, String key) throws StoreException {
    int size = (int) size(master, key);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment bytes = arena.allocate(size);
      long name = Texts.utf8(arena, key).address();
      assertEquals(
          size, with(master, s -> s.abi().getInto(s.handle(), name, bytes.address(), size)), key);
      return bytes.toArray(ValueLayout.JAVA_BYTE);
    }
  }
}

package io.kvasir.benchmarks.common;

import io.kvasir.api.ByteSize;
import io.kvasir.api.store.Setting;
import io.kvasir.api.store.StoreContext;
import io.kvasir.core.memory.HugePages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What a store is opened with, in the core's place: the defaults of its configuration record, and
 * the few values that a measurement chooses.
 *
 * @param chosen by the name of the record's component, as text
 */
record StoreSettings(Map<String, String> chosen) implements StoreContext {

  @Override
  public <C extends Record> C configuration(Class<C> type) {
    Map<String, String> left = new HashMap<>(chosen);
    RecordComponent[] components = type.getRecordComponents();
    Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      String name = components[i].getName();
      String given = left.remove(name);
      String text = given != null ? given : components[i].getAnnotation(Setting.class).byDefault();
      values[i] = value(type, name, text, components[i].getType());
    }
    if (!left.isEmpty()) {
      throw new IllegalArgumentException(type.getName() + " has no setting " + left.keySet());
    }
    try {
      Class<?>[] types =
          Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
      Constructor<C> constructor = type.getDeclaredConstructor(types);
      return constructor.newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("the configuration of " + type.getName(), e);
    }
  }

  private static Object value(Class<?> record, String name, String text, Class<?> type) {
    if (type == Path.class) {
      return Path.of(text);
    } else if (type == ByteSize.class) {
      return ByteSize.parse(text);
    } else if (type == Duration.class) {
      return duration(text);
    } else if (type == int.class) {
      return Integer.parseInt(text);
    } else if (type == long.class) {
      return Long.parseLong(text);
    } else if (type == double.class) {
      return Double.parseDouble(text);
    } else if (type == boolean.class) {
      return Boolean.parseBoolean(text);
    } else if (type == String.class) {
      return text;
    } else if (type.isEnum()) {
      String wanted = text.replace('-', '_').toUpperCase(Locale.ROOT);
      return Arrays.stream(type.getEnumConstants())
          .filter(constant -> ((Enum<?>) constant).name().equals(wanted))
          .findFirst()
          .orElseThrow(() -> unknown(record, name, text, type));
    }
    throw unknown(record, name, text, type);
  }

  private static Duration duration(String text) {
    return Duration.parse(
        text.endsWith("ms")
            ? "PT%.3fS".formatted(Double.parseDouble(text.substring(0, text.length() - 2)) / 1000)
            : "PT" + text.toUpperCase(Locale.ROOT));
  }

  private static IllegalArgumentException unknown(
      Class<?> record, String name, String text, Class<?> type) {
    return new IllegalArgumentException(
        "%s.%s: \"%s\" is no %s that a measurement can set"
            .formatted(record.getName(), name, text, type.getName()));
  }

  @Override
  public System.Logger logger() {
    return System.getLogger("io.kvasir.benchmarks");
  }

  @Override
  public MemorySegment allocate(Arena arena, long bytes, long alignment) {
    return HugePages.allocate(arena, bytes, alignment);
  }

  @Override
  public Duration closeTimeout() {
    return Duration.ofSeconds(30);
  }
}

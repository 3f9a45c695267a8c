package io.kvasir.core.config;

import io.kvasir.api.KvasirException;
import io.kvasir.api.store.Setting;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Fills a record from an object of a configuration.
 *
 * <p>The key of a component is its name in kebab case: {@code maxWait} is {@code "max-wait"}. A
 * component is a String, int, long, double, boolean, Path (relative ones start at the file's
 * directory), Duration ({@code "500ms"}, {@code "2s"}, {@code "1m"}), {@link
 * io.kvasir.api.ByteSize}, an enum ({@code BEST_FIT} is {@code "best-fit"}), another record, or an
 * Optional, a List or a Map by String of these. A component that the file does not give takes the
 * default of its {@link Setting}, an Optional is empty, and anything else is missing.
 *
 * <p>What the record's constructor refuses is an error at the object, with its message.
 */
public final class RecordBinder {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final Consumer<Class<?>> opener;

  /**
   * Creates a binder.
   *
   * @param opener called with each record's class before its constructor is; it opens a package
   *     that is not open to the core
   */
  public RecordBinder(Consumer<Class<?>> opener) {
    this.opener = opener;
  }

  /** Creates a binder for records whose packages are open to the core. */
  public RecordBinder() {
    this(_ -> {});
  }

  /**
   * {@return the record that an object describes}
   *
   * @throws KvasirException if a key is unknown or missing, or a value is of the wrong kind
   */
  public <R extends Record> R bind(ConfigValue value, Class<R> type) {
    return bind(value.section(), type);
  }

  /** {@return the record that the keys left in an object describe} */
  public <R extends Record> R bind(Section section, Class<R> type) {
    RecordComponent[] components = type.getRecordComponents();
    Object[] arguments = new Object[components.length];
    // an unknown key is probably a misspelt one: it is named before the key that is missing for it
    List<Optional<ConfigValue>> given =
        Arrays.stream(components).map(c -> section.take(key(c.getName()))).toList();
    section.end();
    for (int i = 0; i < components.length; i++) {
      arguments[i] = component(section, components[i], given.get(i));
    }
    return construct(section.at(), type, components, arguments);
  }

  private Object component(Section section, RecordComponent c, Optional<ConfigValue> given) {
    ConfigValue absent = section.at().child(key(c.getName()), null);
    if (given.isPresent()) {
      return read(given.get(), c.getGenericType(), c);
    }
    Setting setting = c.getAnnotation(Setting.class);
    if (setting != null && !setting.byDefault().isEmpty()) {
      return read(byDefault(absent, c, setting.byDefault()), c.getGenericType(), c);
    }
    if (c.getType() == Optional.class) {
      return Optional.empty();
    }
    throw absent.error(
        "missing; "
            + wayOut(c)
            + (setting == null || setting.value().isBlank() ? "" : ": " + setting.value()));
  }

  private static ConfigValue byDefault(ConfigValue at, RecordComponent c, String text) {
    Class<?> type = c.getType();
    if (type == Optional.class) {
      type = raw(argument(c.getGenericType(), 0));
    }
    try {
      return new ConfigValue(
          at.file(),
          at.directory(),
          at.key(),
          Scalars.quoted(type) ? text : JSON.readValue(text, Object.class));
    } catch (JacksonException e) {
      throw new KvasirException(
          "%s.%s: the default \"%s\" is not JSON"
              .formatted(c.getDeclaringRecord().getName(), c.getName(), text),
          e);
    }
  }

  private Object read(ConfigValue value, Type type, RecordComponent component) {
    Class<?> raw = raw(type);
    if (raw == Optional.class) {
      return Optional.of(read(value, argument(type, 0), component));
    }
    if (raw == List.class) {
      List<Object> out = new ArrayList<>();
      value.elements().forEach(e -> out.add(read(e, argument(type, 0), component)));
      return List.copyOf(out);
    }
    if (raw == Map.class && argument(type, 0) == String.class) {
      Map<String, Object> out = new LinkedHashMap<>();
      for (Map.Entry<String, Object> e : value.section().rest().entrySet()) {
        ConfigValue child = value.child(e.getKey(), e.getValue());
        out.put(e.getKey(), read(child, argument(type, 1), component));
      }
      return java.util.Collections.unmodifiableMap(out);
    }
    if (raw.isRecord() && Scalars.wayOut(raw).isEmpty()) {
      return bind(value, raw.asSubclass(Record.class));
    }
    if (Scalars.wayOut(raw).isEmpty()) {
      throw new KvasirException(
          "%s.%s: a %s cannot be configured"
              .formatted(
                  component.getDeclaringRecord().getName(),
                  component.getName(),
                  type.getTypeName()));
    }
    return Scalars.read(value, raw);
  }

  private <R extends Record> R construct(
      ConfigValue at, Class<R> type, RecordComponent[] components, Object[] arguments) {
    opener.accept(type);
    try {
      Constructor<R> canonical =
          type.getDeclaredConstructor(
              Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
      canonical.setAccessible(true);
      return canonical.newInstance(arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw at.error(
          e.getCause().getMessage() == null ? e.getCause().toString() : e.getCause().getMessage(),
          e.getCause());
    } catch (InaccessibleObjectException e) {
      throw new KvasirException(
          "%s: the core may not construct it; write \"opens %s to io.kvasir.core;\" in %s"
              .formatted(type.getName(), type.getPackageName(), type.getModule()),
          e);
    } catch (ReflectiveOperationException e) {
      throw new KvasirException(type.getName() + ": cannot be constructed: " + e, e);
    }
  }

  /** {@return the paths that a bound record holds, by the dotted key of each} */
  public static Map<String, Path> paths(ConfigValue at, Record bound) {
    Map<String, Path> out = new LinkedHashMap<>();
    for (RecordComponent c : bound.getClass().getRecordComponents()) {
      if (c.getType() == Path.class) {
        try {
          c.getAccessor().setAccessible(true);
          out.put(at.child(key(c.getName()), null).key(), (Path) c.getAccessor().invoke(bound));
        } catch (ReflectiveOperationException e) {
          throw new KvasirException(bound.getClass().getName() + ": cannot be read: " + e, e);
        }
      }
    }
    return out;
  }

  private static String wayOut(RecordComponent c) {
    return Scalars.wayOut(c.getType())
        .orElse(c.getType() == List.class ? "write a list: [ … ]" : "write an object: { … }");
  }

  private static Class<?> raw(Type type) {
    return type instanceof ParameterizedType p ? raw(p.getRawType()) : (Class<?>) type;
  }

  private static Type argument(Type type, int index) {
    return ((ParameterizedType) type).getActualTypeArguments()[index];
  }

  /** {@return the name in kebab case: {@code ioURLPrefix} is {@code io-url-prefix}} */
  static String key(String name) {
    return name.replaceAll("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-")
        .toLowerCase(Locale.ROOT);
  }
}

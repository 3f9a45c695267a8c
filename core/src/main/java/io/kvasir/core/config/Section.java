package io.kvasir.core.config;

import io.kvasir.api.KvasirException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** An object of a configuration. Each key is taken by name; a key that nobody took is an error. */
public final class Section {
  private final ConfigValue at;
  private final Map<String, Object> left = new LinkedHashMap<>();
  private final Set<String> known = new LinkedHashSet<>();

  Section(ConfigValue at, Map<?, ?> json) {
    this.at = at;
    json.forEach((name, value) -> left.put((String) name, value));
  }

  /** {@return the object with its place} */
  public ConfigValue at() {
    return at;
  }

  /** {@return the value of a key, which is known from now on, if the file gives it} */
  public Optional<ConfigValue> take(String name) {
    known.add(name);
    return left.containsKey(name)
        ? Optional.of(at.child(name, left.remove(name)))
        : Optional.empty();
  }

  /**
   * {@return the value of a key that must be there}
   *
   * @param wayOut what to write, as in {@code give a path}
   */
  public ConfigValue require(String name, String wayOut) {
    return take(name).orElseThrow(() -> at.child(name, null).error("missing; " + wayOut));
  }

  /** {@return true or false, or what holds where the file says nothing} */
  public boolean flag(String name, boolean otherwise) {
    return take(name).map(v -> (boolean) Scalars.read(v, boolean.class)).orElse(otherwise);
  }

  /** {@return all keys that nobody took, which are taken by this} */
  public Map<String, Object> rest() {
    Map<String, Object> out = new LinkedHashMap<>(left);
    left.clear();
    return out;
  }

  /**
   * Ends the object.
   *
   * @throws KvasirException if a key is left; it names the nearest known one
   */
  public void end() {
    for (Map.Entry<String, Object> key : left.entrySet()) {
      throw at.child(key.getKey(), key.getValue()).error("unknown key; " + wayOut(key.getKey()));
    }
  }

  private String wayOut(String name) {
    if (known.isEmpty()) {
      return "there is nothing to set here";
    }
    return Nearest.to(name, known)
        .map(near -> "did you mean \"" + near + "\"?")
        .orElseGet(() -> "known are " + String.join(", ", known));
  }
}

package io.kvasir.core.identity;

import io.kvasir.api.KvasirException;
import io.kvasir.api.identity.CanonicalJson;
import io.kvasir.api.identity.IdentityException;
import io.kvasir.api.identity.IdentityPolicy;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The settings of a policy: names that it does not have, and values that are no text, are errors.
 */
final class PolicySettings {
  private final Map<String, Object> settings;

  private PolicySettings(Map<String, Object> settings) {
    this.settings = settings;
  }

  static PolicySettings of(IdentityPolicy policy, Map<String, Object> settings, Set<String> known) {
    for (String name : new TreeSet<>(settings.keySet())) {
      if (!known.contains(name)) {
        throw new KvasirException(
            "identity.%s: the policy \"%s\" has no such setting; it has %s"
                .formatted(
                    name,
                    policy.name(),
                    known.isEmpty() ? "none" : String.join(", ", new TreeSet<>(known))));
      }
    }
    return new PolicySettings(settings);
  }

  /** {@return the text of a setting, or null where it is not given} */
  String text(String name) {
    if (!settings.containsKey(name)) {
      return null;
    }
    if (!(settings.get(name) instanceof String text)) {
      throw new KvasirException(
          "identity.%s: %s is not a string"
              .formatted(name, CanonicalJson.text(settings.get(name))));
    }
    try {
      CanonicalJson.text(text);
    } catch (IdentityException e) {
      throw new KvasirException("identity." + name + ": " + e.getMessage());
    }
    return text;
  }
}

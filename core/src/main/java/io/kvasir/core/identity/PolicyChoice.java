package io.kvasir.core.identity;

import io.kvasir.api.KvasirException;
import io.kvasir.api.identity.CanonicalJson;
import io.kvasir.api.identity.IdentityPolicy;
import io.kvasir.api.identity.NamespaceManifest;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The policy that the object {@code identity} of a configuration asks for, with its settings and
 * what the {@link PolicyProbe} found.
 *
 * @param policy with its settings
 * @param writable whether the operator lets an unsafe policy save, too
 * @param missing the fields that the policy does not tell apart; empty for a safe one
 */
public record PolicyChoice(IdentityPolicy policy, boolean writable, List<String> missing) {
  private static final String DEFAULT = "strict";

  /**
   * {@return the policy for a deployment, probed}
   *
   * @param identity {@code policy} (by default {@code strict}), {@code unsafe}, {@code writable},
   *     and the policy's own settings
   * @param known the policies that there are, not configured
   * @throws KvasirException if there is no such policy, a setting is wrong, or the policy takes
   *     away from the identity and {@code unsafe} is not true
   */
  public static PolicyChoice of(
      Map<String, Object> identity,
      Collection<? extends IdentityPolicy> known,
      NamespaceManifest deployment) {
    IdentityPolicy policy = named(identity, known);
    Map<String, Object> flags = new TreeMap<>(identity);
    return new PolicyChoice(
        policy,
        flag(flags, "writable"),
        PolicyProbe.check(policy, deployment, flag(flags, "unsafe")));
  }

  /**
   * {@return the policy with its settings, not probed: what can be said without a deployment}
   *
   * @throws KvasirException if there is no such policy or a setting is wrong
   */
  public static IdentityPolicy named(
      Map<String, Object> identity, Collection<? extends IdentityPolicy> known) {
    Map<String, Object> settings = new TreeMap<>(identity);
    Object name = settings.containsKey("policy") ? settings.remove("policy") : DEFAULT;
    flag(settings, "unsafe");
    flag(settings, "writable");
    return known.stream()
        .filter(p -> p.name().equals(name))
        .findFirst()
        .orElseThrow(() -> unknown(name, known))
        .configured(settings);
  }

  private static boolean flag(Map<String, Object> settings, String name) {
    Object value = settings.containsKey(name) ? settings.remove(name) : false;
    if (value instanceof Boolean b) {
      return b;
    }
    throw new KvasirException(
        "identity." + name + ": " + CanonicalJson.text(value) + " is not true or false");
  }

  private static KvasirException unknown(Object name, Collection<? extends IdentityPolicy> known) {
    List<String> names = known.stream().map(IdentityPolicy::name).distinct().sorted().toList();
    return new KvasirException(
        "identity.policy: %s is not known; there are %s"
            .formatted(CanonicalJson.text(name), String.join(", ", names)));
  }

  /** {@return whether blocks may be read and never saved} */
  public boolean readOnly() {
    return !missing.isEmpty() && !writable;
  }

  /** {@return what the log says at the start, where the policy is unsafe} */
  public Optional<String> warning() {
    if (missing.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        "identity.policy: \"%s\" is unsafe: its keys do not tell apart what differs in %s; %s"
            .formatted(
                policy.name(),
                String.join(", ", missing),
                writable
                    ? "blocks are read and, as \"writable\" is true, saved"
                    : "blocks are read and none is saved"));
  }
}

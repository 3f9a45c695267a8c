package io.kvasir.api.identity;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is constant for one request: modifiers of the model's computation, and a salt that keeps
 * users of one tenant apart.
 *
 * @param modifiers adapters, soft prompts, steering; kept in the order of (kind, digest)
 * @param salt null for none; the empty string is another scope than null
 */
public record RequestScope(List<Modifier> modifiers, String salt) {
  /** No modifier, no salt. */
  public static final RequestScope NONE = new RequestScope(List.of(), null);

  /**
   * One modifier by digest; names are labels and do not count.
   *
   * @param kind {@code lora}, {@code soft-prompt}, …
   * @param digest {@code sha256:…} over weights <em>and</em> configuration with the scale in force
   */
  public record Modifier(String kind, String digest) {
    /** Checks both. */
    public Modifier {
      Text.required("scope.modifiers.kind", kind);
      Text.sha256("scope.modifiers.digest", digest);
    }
  }

  /** Sorts the modifiers and checks the salt. */
  public RequestScope {
    modifiers =
        modifiers.stream()
            .sorted(Comparator.comparing(Modifier::kind).thenComparing(Modifier::digest))
            .toList();
    if (salt != null) {
      Text.normal("scope.salt", salt);
    }
  }

  /** {@return a scope with this salt and no modifier} */
  public static RequestScope salted(String salt) {
    return new RequestScope(List.of(), salt);
  }

  /** {@return this scope with one more modifier} */
  public RequestScope with(Modifier modifier) {
    return new RequestScope(
        java.util.stream.Stream.concat(modifiers.stream(), java.util.stream.Stream.of(modifier))
            .toList(),
        salt);
  }

  /** {@return the JSON object that is hashed} */
  public Map<String, Object> json() {
    Map<String, Object> out = new LinkedHashMap<>();
    out.put(
        "modifiers",
        modifiers.stream().map(m -> Map.of("kind", m.kind(), "digest", m.digest())).toList());
    out.put("salt", salt);
    return out;
  }

  /** {@return 32 bytes: SHA-256("kvasir/scope/1\0" | canonical JSON)} */
  public byte[] digest() {
    return Sha256.tagged("kvasir/scope/1", CanonicalJson.bytes(json()));
  }
}

package io.kvasir.api.identity;

import java.security.SecureRandom;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The state of a model's weights: which numbers an engine computes with.
 *
 * <p>A counter is not enough (two engines that each did one update would share), and neither is the
 * name of an update alone (two training runs on one base both have a {@code step-1}). Exactly one
 * of the forms below describes a state; {@link #id()} is what two states are compared by.
 */
public sealed interface Weights {
  /** {@return the JSON object that stands in a manifest} */
  Map<String, Object> json();

  /** {@return the 32 bytes that name the state: SHA-256("kvasir/weights/1\0" | canonical JSON)} */
  default byte[] id() {
    return Sha256.tagged("kvasir/weights/1", CanonicalJson.bytes(json()));
  }

  /** {@return the id in hexadecimal digits} */
  default String hexId() {
    return Sha256.hex(id());
  }

  /** {@return base weights named by the digest of all bytes of all weight files} */
  static Weights content(String digest) {
    return new BaseContent(digest);
  }

  /** {@return base weights named by a commit of a model repository} */
  static Weights commit(String model, String commit) {
    return new BaseCommit(model, commit);
  }

  /** {@return base weights under an operator's own immutable name} */
  static Weights named(String model, String name) {
    return new BaseName(model, name);
  }

  /** {@return the state after an update that replaced every tensor, independent of history} */
  static Weights full(String run, String update) {
    return new FullUpdate(run, update);
  }

  /** {@return the state after an update that replaced every tensor, named by content} */
  static Weights fullContent(String digest) {
    return new FullContent(digest);
  }

  /** {@return the state after an update that replaced some tensors of {@code previous}} */
  static Weights delta(Weights previous, String run, String update) {
    return new Delta(previous.hexId(), run, update);
  }

  /** {@return a state that equals no other: nothing is shared and nothing is stale} */
  static Weights unknown() {
    byte[] nonce = new byte[16];
    new SecureRandom().nextBytes(nonce);
    return new Unknown(Sha256.hex(nonce));
  }

  /**
   * Base weights by content.
   *
   * @param content {@code sha256:} or, on request only, {@code sampled:} and 64 hexadecimal digits
   */
  record BaseContent(String content) implements Weights {
    /** Checks the digest. */
    public BaseContent {
      Text.content("weights.content", content);
    }

    @Override
    public Map<String, Object> json() {
      return Map.of("kind", "base", "content", content);
    }
  }

  /**
   * Base weights by commit.
   *
   * @param model the repository
   * @param commit 40 or 64 lower-case hexadecimal digits
   */
  record BaseCommit(String model, String commit) implements Weights {
    private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}|[0-9a-f]{64}");

    /** Checks the names. */
    public BaseCommit {
      Text.required("weights.model", model);
      if (commit == null || !COMMIT.matcher(commit).matches()) {
        throw new IdentityException(
            "weights.commit: \"%s\" is not a commit hash; write its 40 hexadecimal digits"
                .formatted(commit));
      }
    }

    @Override
    public Map<String, Object> json() {
      return Map.of("kind", "base", "model", model, "commit", commit);
    }
  }

  /**
   * Base weights by an operator's own name.
   *
   * @param model the model
   * @param name a name that never means other weights; mutable ones such as {@code main} are
   *     refused
   */
  record BaseName(String model, String name) implements Weights {
    private static final Set<String> MUTABLE =
        Set.of(
            "main", "master", "latest", "head", "current", "default", "stable", "dev", "develop",
            "nightly", "tip", "trunk", "none", "null", "unknown", "auto");

    /** Checks the names. */
    public BaseName {
      Text.required("weights.model", model);
      String last = name == null ? "" : name.strip().toLowerCase(Locale.ROOT);
      if (last.isEmpty()
          || MUTABLE.contains(last.substring(last.lastIndexOf('/') + 1))
          || last.startsWith("refs/heads/")) {
        throw new IdentityException(
            "weights.name: \"%s\" can mean other weights tomorrow; write a commit, a content"
                    .formatted(name)
                + " digest or a name that is never used again, such as \"release-7\"");
      }
      Text.normal("weights.name", name);
    }

    @Override
    public Map<String, Object> json() {
      return Map.of("kind", "base", "model", model, "name", name);
    }
  }

  /**
   * After an update of every tensor.
   *
   * @param run unique to the training run: a UUID or a digest
   * @param update the update's name within the run
   */
  record FullUpdate(String run, String update) implements Weights {
    /** Checks the names. */
    public FullUpdate {
      Text.required("weights.run", run);
      Text.required("weights.update", update);
    }

    @Override
    public Map<String, Object> json() {
      return Map.of("kind", "full", "run", run, "update", update);
    }
  }

  /**
   * After an update of every tensor, by content.
   *
   * @param content as in {@link BaseContent}
   */
  record FullContent(String content) implements Weights {
    /** Checks the digest. */
    public FullContent {
      Text.content("weights.content", content);
    }

    @Override
    public Map<String, Object> json() {
      return Map.of("kind", "full", "content", content);
    }
  }

  /**
   * After a partial update.
   *
   * @param previous id of the state before, 64 hexadecimal digits
   * @param run unique to the training run
   * @param update the update's name within the run
   */
  record Delta(String previous, String run, String update) implements Weights {
    private static final Pattern ID = Pattern.compile("[0-9a-f]{64}");

    /** Checks the names. */
    public Delta {
      if (previous == null || !ID.matcher(previous).matches()) {
        throw new IdentityException(
            "weights.previous: \"%s\" is not the id of a weights state".formatted(previous));
      }
      Text.required("weights.run", run);
      Text.required("weights.update", update);
    }

    @Override
    public Map<String, Object> json() {
      return Map.of("kind", "delta", "previous", previous, "run", run, "update", update);
    }
  }

  /**
   * Nobody can say.
   *
   * @param nonce 128 random bits, 32 hexadecimal digits
   */
  record Unknown(String nonce) implements Weights {
    private static final Pattern NONCE = Pattern.compile("[0-9a-f]{32}");

    /** Checks the nonce. */
    public Unknown {
      if (nonce == null || !NONCE.matcher(nonce).matches()) {
        throw new IdentityException(
            "weights.nonce: \"%s\" is not 32 lower-case hexadecimal digits".formatted(nonce));
      }
    }

    @Override
    public Map<String, Object> json() {
      return Map.of("kind", "unknown", "nonce", nonce);
    }
  }

  /**
   * {@return the state that a JSON object of a manifest describes}
   *
   * @throws IdentityException if the object has no known form, or a name that its form does not
   *     have
   */
  static Weights of(Map<String, Object> json) {
    Fields f = new Fields("semantic.weights", json);
    Weights weights =
        switch (f.text("kind")) {
          case "base" ->
              f.has("content")
                  ? new BaseContent(f.text("content"))
                  : f.has("commit")
                      ? new BaseCommit(f.text("model"), f.text("commit"))
                      : new BaseName(f.text("model"), f.text("name"));
          case "full" ->
              f.has("content")
                  ? new FullContent(f.text("content"))
                  : new FullUpdate(f.text("run"), f.text("update"));
          case "delta" -> new Delta(f.text("previous"), f.text("run"), f.text("update"));
          case "unknown" -> new Unknown(f.text("nonce"));
          default -> throw f.wrong("kind", "one of base, full, delta, unknown");
        };
    f.end();
    return weights;
  }

  /** {@return the JSON object with sorted names, for display} */
  default Map<String, Object> sorted() {
    return new TreeMap<>(json());
  }
}

package io.kvasir.api.identity;

import java.text.Normalizer;
import java.util.regex.Pattern;

/** The checks that text must pass before it can be part of an identity. */
final class Text {
  private static final Pattern DIGEST = Pattern.compile("(sha256|sampled):[0-9a-f]{64}");

  private Text() {}

  /** {@return the text, which is in NFC and holds neither U+0000 nor a lone surrogate} */
  static String normal(String field, String text) {
    try {
      CanonicalJson.text(text);
    } catch (IdentityException e) {
      throw new IdentityException(field + ": " + e.getMessage());
    }
    if (!Normalizer.isNormalized(text, Normalizer.Form.NFC)) {
      throw new IdentityException(
          "%s: \"%s\" is not in Unicode form NFC; write it normalised, as \"%s\""
              .formatted(field, text, Normalizer.normalize(text, Normalizer.Form.NFC)));
    }
    return text;
  }

  static String required(String field, String text) {
    if (text == null || text.isBlank()) {
      throw new IdentityException(
          field + ": " + (text == null ? "missing" : "\"" + text + "\"") + "; a value is required");
    }
    return normal(field, text);
  }

  /** {@return a digest in the form {@code sha256:} with 64 lower-case hexadecimal digits} */
  static String sha256(String field, String text) {
    if (text == null || !DIGEST.matcher(text).matches() || text.startsWith("sampled")) {
      throw new IdentityException(
          field + ": \"" + text + "\" is not \"sha256:\" and 64 lower-case hexadecimal digits");
    }
    return text;
  }

  static String content(String field, String text) {
    if (text == null || !DIGEST.matcher(text).matches()) {
      throw new IdentityException(
          "%s: \"%s\" is not \"sha256:\" (or \"sampled:\") and 64 lower-case hexadecimal digits"
              .formatted(field, text));
    }
    return text;
  }
}

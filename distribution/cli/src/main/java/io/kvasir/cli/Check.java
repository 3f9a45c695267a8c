package io.kvasir.cli;

import io.kvasir.api.KvasirException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What one check of {@code kvasir doctor} found.
 *
 * @param name what was looked at
 * @param state what it looks like
 * @param detail one line for the operator
 */
record Check(String name, State state, String detail) {
  /** What something looks like. */
  enum State {
    OK,
    WARNING,
    FAILED
  }

  static Check ok(String name, String detail) {
    return new Check(name, State.OK, detail);
  }

  /** {@return what a call finds, or the error that it ends with} */
  static Check of(String name, Supplier<String> detail) {
    try {
      return ok(name, detail.get());
    } catch (KvasirException e) {
      return failed(name, e.getMessage());
    }
  }

  static Check warning(String name, String detail) {
    return new Check(name, State.WARNING, detail);
  }

  static Check failed(String name, String detail) {
    return new Check(name, State.FAILED, detail);
  }

  String word() {
    return state.name().toLowerCase(Locale.ROOT);
  }

  Map<String, Object> json() {
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("check", name);
    out.put("state", word());
    out.put("detail", detail);
    return out;
  }
}

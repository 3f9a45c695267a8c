package io.kvasir.api.format;

import io.kvasir.api.KvasirException;
import java.util.Optional;

/**
 * A model or an engine's settings that do not say what a block's bytes mean. The message names the
 * field, its value, and how to give it.
 */
public final class FormatException extends KvasirException {
  private static final long serialVersionUID = 1;

  private final String setting;

  /** Creates the error. */
  public FormatException(String message) {
    super(message);
    this.setting = null;
  }

  private FormatException(String setting, String message) {
    super(message);
    this.setting = setting;
  }

  /** Creates the error with what caused it. */
  public FormatException(String message, Throwable cause) {
    super(message, cause);
    this.setting = null;
  }

  /** {@return the error that a setting of the engine is missing that the format depends on} */
  public static FormatException missing(String setting, String message) {
    return new FormatException(setting, message);
  }

  /** {@return the setting of the engine that would answer, where it is that which is missing} */
  public Optional<String> setting() {
    return Optional.ofNullable(setting);
  }
}

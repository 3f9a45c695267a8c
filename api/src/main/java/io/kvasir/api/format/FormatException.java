package io.kvasir.api.format;

import io.kvasir.api.KvasirException;

/**
 * A model or an engine's settings that do not say what a block's bytes mean. The message names the
 * field, its value, and how to give it.
 */
public final class FormatException extends KvasirException {
  private static final long serialVersionUID = 1;

  /** Creates the error. */
  public FormatException(String message) {
    super(message);
  }

  /** Creates the error with what caused it. */
  public FormatException(String message, Throwable cause) {
    super(message, cause);
  }
}

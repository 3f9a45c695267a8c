package io.kvasir.api;

/**
 * A mistake of the caller or of the operator: a configuration, a model or a plugin that cannot be
 * used. The message names the thing, its value and the way out. A store's failure is never one of
 * these: it becomes a {@link BlockStatus}.
 */
public class KvasirException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Creates the error. */
  public KvasirException(String message) {
    super(message);
  }

  /** Creates the error with what caused it. */
  public KvasirException(String message, Throwable cause) {
    super(message, cause);
  }
}

package io.kvasir.api.identity;

import io.kvasir.api.KvasirException;

/** A value that cannot take part in an identity; the message names the field and the value. */
public final class IdentityException extends KvasirException {
  private static final long serialVersionUID = 1;

  /** Creates the error. */
  public IdentityException(String message) {
    super(message);
  }
}

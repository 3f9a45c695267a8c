package io.kvasir.plugin.local;

import java.io.IOException;

/**
 * What lies on the disk is not what this store can work with. Nothing has been changed; the message
 * says the way out.
 */
final class FormatError extends IOException {
  private static final long serialVersionUID = 1;

  FormatError(String message) {
    super(message);
  }
}

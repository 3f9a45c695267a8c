package io.kvasir.core;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The version of this runtime, and of the API that it was built with. */
public final class Version {
  private static final String CURRENT = read();

  private Version() {}

  /** {@return the version that {@code plugin.requires} is compared with} */
  public static String current() {
    return CURRENT;
  }

  private static String read() {
    try (InputStream in = Version.class.getResourceAsStream("version")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

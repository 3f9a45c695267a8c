package io.kvasir.core.connector;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.ResourceBundle;

/** A log that a test reads. */
final class Said implements System.Logger {
  final List<String> messages = Collections.synchronizedList(new ArrayList<>());

  @Override
  public String getName() {
    return "said";
  }

  @Override
  public boolean isLoggable(Level level) {
    return true;
  }

  @Override
  public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
    messages.add(message + ": " + thrown);
  }

  @Override
  public void log(Level level, ResourceBundle bundle, String message, Object... values) {
    messages.add(message);
  }
}

package io.kvasir.plugin.local;

import java.text.MessageFormat;
import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.CopyOnWriteArrayList;

/** A log that a test reads. */
record Said(List<String> messages) implements System.Logger {
  Said() {
    this(new CopyOnWriteArrayList<>());
  }

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
    messages.add(level + " " + message);
  }

  @Override
  public void log(Level level, ResourceBundle bundle, String format, Object... params) {
    messages.add(level + " " + (params == null ? format : MessageFormat.format(format, params)));
  }
}

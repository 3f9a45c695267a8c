package io.kvasir.plugin.local;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Another process that looks whether a file is locked: exit status 0 if it is, 1 if not. */
final class LockProbe {
  private LockProbe() {}

  public static void main(String[] args) throws IOException {
    try (FileChannel file = FileChannel.open(Path.of(args[0]), StandardOpenOption.WRITE)) {
      System.exit(file.tryLock() == null ? 0 : 1);
    }
  }
}

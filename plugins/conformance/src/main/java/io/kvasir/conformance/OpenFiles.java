package io.kvasir.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Finds what other users of a machine could read or change below a folder. */
final class OpenFiles {
  private OpenFiles() {}

  /** {@return whether the folder's file system has modes} */
  static boolean known(Path folder) {
    return Files.getFileAttributeView(folder, PosixFileAttributeView.class) != null;
  }

  /**
   * {@return files that others can read or write, and folders that others can write to, each with
   * its mode} Behind a folder that others cannot enter nothing is open.
   */
  static List<String> below(Path folder) throws IOException {
    List<String> open = new ArrayList<>();
    try (Stream<Path> children = Files.list(folder)) {
      for (Path child : children.sorted().toList()) {
        if (Files.isSymbolicLink(child)) {
          continue;
        }
        Set<PosixFilePermission> mode = Files.getPosixFilePermissions(child);
        boolean written =
            mode.contains(PosixFilePermission.GROUP_WRITE)
                || mode.contains(PosixFilePermission.OTHERS_WRITE);
        if (!Files.isDirectory(child)) {
          boolean read =
              mode.contains(PosixFilePermission.GROUP_READ)
                  || mode.contains(PosixFilePermission.OTHERS_READ);
          if (read || written) {
            open.add(folder.relativize(child) + " " + mode.stream().sorted().toList());
          }
          continue;
        }
        boolean entered =
            mode.contains(PosixFilePermission.GROUP_EXECUTE)
                || mode.contains(PosixFilePermission.OTHERS_EXECUTE);
        if (written && entered) {
          open.add(folder.relativize(child) + "/ " + mode.stream().sorted().toList());
        }
        if (entered) {
          open.addAll(below(child));
        }
      }
    }
    return open;
  }
}

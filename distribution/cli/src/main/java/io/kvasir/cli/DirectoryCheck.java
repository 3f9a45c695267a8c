package io.kvasir.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Looks at a directory that a store is configured with: is it there, whose is it, is it full. */
final class DirectoryCheck {
  private static final long LITTLE = 1L << 30;
  private static final Set<PosixFilePermission> OTHERS =
      Set.of(
          PosixFilePermission.GROUP_READ,
          PosixFilePermission.GROUP_WRITE,
          PosixFilePermission.GROUP_EXECUTE,
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE,
          PosixFilePermission.OTHERS_EXECUTE);

  private DirectoryCheck() {}

  /**
   * {@return a check of each path in a store's configuration, by its value as the record prints it}
   */
  static List<Check> of(Map<String, Path> paths) {
    List<Check> out = new ArrayList<>();
    paths.forEach((name, path) -> out.add(check(name, path)));
    return out;
  }

  static Check check(String name, Path path) {
    try {
      Path there = path;
      while (!Files.exists(there) && there.getParent() != null) {
        there = there.getParent();
      }
      String space = Quantities.bytes(Files.getFileStore(there).getUsableSpace()) + " free";
      if (!Files.isWritable(there)) {
        return Check.failed(name, there + ": this user cannot write there");
      }
      if (!there.equals(path)) {
        return Check.ok(name, path + ": not there yet, will be created; " + space);
      }
      if (Files.getFileStore(there).getUsableSpace() < LITTLE) {
        return Check.warning(name, path + ": only " + space);
      }
      Set<PosixFilePermission> open = others(path);
      return open.isEmpty()
          ? Check.ok(name, path + ": " + space)
          : Check.warning(
              name,
              "%s: others may look in (%s); chmod 700 it"
                  .formatted(
                      path, PosixFilePermissions.toString(Files.getPosixFilePermissions(path))));
    } catch (IOException e) {
      return Check.failed(name, path + ": " + e);
    }
  }

  private static Set<PosixFilePermission> others(Path path) throws IOException {
    try {
      return Files.getPosixFilePermissions(path).stream()
          .filter(OTHERS::contains)
          .collect(Collectors.toSet());
    } catch (UnsupportedOperationException e) {
      return Set.of(); // a file system without such permissions
    }
  }
}

package io.kvasir.core.weights;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;

/**
 * What a file is recognised by without reading it. The change time is the system's own: nobody sets
 * it back.
 *
 * @param path where it really lies
 * @param size bytes
 * @param modified time of the last write
 * @param changed time of the last change of content or attributes; null where the system has none,
 *     and then the file is always read
 * @param inode number of the file on its volume
 */
record FileKey(String path, long size, Instant modified, Instant changed, long inode) {
  static FileKey of(Path file) throws IOException {
    Path real = file.toRealPath();
    try {
      Map<String, Object> a = Files.readAttributes(real, "unix:size,lastModifiedTime,ctime,ino");
      return new FileKey(
          real.toString(),
          (Long) a.get("size"),
          ((FileTime) a.get("lastModifiedTime")).toInstant(),
          ((FileTime) a.get("ctime")).toInstant(),
          (Long) a.get("ino"));
    } catch (UnsupportedOperationException e) {
      return new FileKey(
          real.toString(), Files.size(real), Files.getLastModifiedTime(real).toInstant(), null, 0);
    }
  }

  /**
   * {@return the key as a line of a sidecar holds it, without a space or a line's end in a field}
   */
  String line() {
    return "%s %s %s %s %s"
        .formatted(
            size,
            modified,
            changed,
            inode,
            java.net.URLEncoder.encode(path, java.nio.charset.StandardCharsets.UTF_8));
  }
}

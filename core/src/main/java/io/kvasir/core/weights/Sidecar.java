package io.kvasir.core.weights;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The digests of a model's files from the last start, by what a file is recognised by. A cache: it
 * may be deleted at any time, and what cannot be trusted (a wrong sum, a file that others can
 * write) is ignored and written anew. It never lies in the model's directory.
 */
final class Sidecar {
  private static final System.Logger LOG = System.getLogger(Sidecar.class.getPackageName());
  private static final String HEAD = "kvasir/weights-sidecar/1";
  private static final Set<PosixFilePermission> OTHERS_WRITE =
      Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

  /** A file changed this recently can change again without a new time: its digest is not kept. */
  private static final Duration TOO_FRESH = Duration.ofSeconds(2);

  private final Path file;
  private final InstantSource clock;
  private final Map<String, String> known;
  private final Map<String, String> used = new ConcurrentHashMap<>();

  private Sidecar(Path file, InstantSource clock) {
    this.file = file;
    this.clock = clock;
    this.known = read(file);
  }

  /** {@return the sidecar of a model, empty if there is none to trust} */
  static Sidecar of(Path cacheDirectory, Path model) {
    return of(cacheDirectory, model, InstantSource.system());
  }

  static Sidecar of(Path cacheDirectory, Path model, InstantSource clock) {
    String name = sha256(model.toString()).substring(0, 32) + ".sums";
    return new Sidecar(cacheDirectory.resolve(name), clock);
  }

  Path file() {
    return file;
  }

  /** {@return the digest of a file that is as it was} */
  Optional<byte[]> digest(FileKey key) {
    String digest = known.get(key.line());
    if (digest != null) {
      used.put(key.line(), digest);
    }
    return Optional.ofNullable(digest).map(HexFormat.of()::parseHex);
  }

  /** Keeps a digest, unless the file is too fresh to be recognised. */
  void put(FileKey key, byte[] digest) {
    Instant limit = clock.instant().minus(TOO_FRESH);
    if (key.changed() != null && key.changed().isBefore(limit)) {
      used.put(key.line(), HexFormat.of().formatHex(digest));
    }
  }

  /** Replaces the file by what this start used; a failure costs the next start some time. */
  void write() {
    if (used.equals(known) || used.isEmpty()) {
      return;
    }
    StringBuilder body = new StringBuilder(HEAD).append('\n');
    new TreeMap<>(used)
        .forEach((key, digest) -> body.append(digest).append(' ').append(key).append('\n'));
    body.append(sha256(body.toString())).append('\n');
    try {
      Files.createDirectories(file.getParent(), mode(file.getParent(), "rwx------"));
      Path fresh =
          Files.createTempFile(file.getParent(), "weights", ".new", mode(file, "rw-------"));
      try {
        Files.writeString(fresh, body);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(fresh);
      }
    } catch (IOException e) {
      LOG.log(
          Level.WARNING,
          "{0}: digests of the weights cannot be kept: {1}; the next start reads all files again",
          file,
          e);
    }
  }

  private static FileAttribute<?>[] mode(Path path, String permissions) {
    return posix(path)
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }

  private static boolean posix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  private static Map<String, String> read(Path file) {
    try {
      if (posix(file) && !Collections.disjoint(Files.getPosixFilePermissions(file), OTHERS_WRITE)) {
        return refused(file, "others can write it");
      }
      return parse(file, Files.readString(file));
    } catch (NoSuchFileException e) {
      return Map.of();
    } catch (IOException e) {
      return refused(file, e.toString());
    }
  }

  private static Map<String, String> parse(Path file, String text) {
    int sum = text.lastIndexOf('\n', text.length() - 2) + 1;
    if (!text.startsWith(HEAD + "\n")
        || !text.substring(sum).equals(sha256(text.substring(0, sum)) + "\n")) {
      return refused(file, "it is damaged");
    }
    Map<String, String> out = new TreeMap<>();
    List<String> lines = text.substring(0, sum).lines().skip(1).toList();
    lines.forEach(line -> out.put(line.substring(65), line.substring(0, 64)));
    return out;
  }

  private static Map<String, String> refused(Path file, String why) {
    LOG.log(Level.WARNING, "{0}: {1}; all weight files are read again", file, why);
    return Map.of();
  }

  private static String sha256(String text) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}

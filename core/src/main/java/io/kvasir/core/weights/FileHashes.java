package io.kvasir.core.weights;

import io.kvasir.api.KvasirException;
import io.kvasir.core.identity.FilesDigest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;

/**
 * Digests of weight files: taken from the name of a Hugging Face blob, from the sidecar, or from
 * all bytes.
 */
final class FileHashes {
  private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");
  private static final int BUFFER = 1 << 20;
  private static final int SAMPLE = 1 << 16;
  private static final int SAMPLES = 8;

  private final Sidecar sidecar;

  FileHashes(Sidecar sidecar) {
    this.sidecar = sidecar;
  }

  /** {@return {@code sha256:} and the digest over names, sizes and all bytes} */
  String content(List<WeightFiles.File> files) throws IOException {
    String content = FilesDigest.content(each(files, this::entry));
    sidecar.write();
    return content;
  }

  /** {@return {@code sampled:} and the digest over names, sizes and some bytes} */
  static String sampled(List<WeightFiles.File> files) throws IOException {
    List<FilesDigest.Entry> entries = each(files, FileHashes::sample);
    return "sampled:" + HexFormat.of().formatHex(FilesDigest.of(entries));
  }

  private interface Hashing {
    FilesDigest.Entry entry(WeightFiles.File file) throws IOException;
  }

  private static List<FilesDigest.Entry> each(List<WeightFiles.File> files, Hashing hashing)
      throws IOException {
    int threads = Math.min(files.size(), Runtime.getRuntime().availableProcessors());
    try (ExecutorService pool =
        Executors.newFixedThreadPool(
            threads, Thread.ofPlatform().daemon().name("kvasir-weights-", 0).factory())) {
      List<Callable<FilesDigest.Entry>> tasks = new ArrayList<>();
      files.forEach(file -> tasks.add(() -> hashing.entry(file)));
      List<FilesDigest.Entry> entries = new ArrayList<>();
      for (Future<FilesDigest.Entry> done : pool.invokeAll(tasks)) {
        entries.add(done.get());
      }
      return entries;
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case IOException io -> throw io;
        case KvasirException k -> throw k;
        default -> throw new IllegalStateException(e.getCause());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KvasirException("weights: interrupted while their files were read", e);
    }
  }

  private FilesDigest.Entry entry(WeightFiles.File file) throws IOException {
    Optional<byte[]> blob = blobDigest(file.path());
    if (blob.isPresent()) {
      return new FilesDigest.Entry(file.name(), Files.size(file.path()), blob.get());
    }
    FileKey key = FileKey.of(file.path());
    Optional<byte[]> known = sidecar.digest(key);
    if (known.isPresent()) {
      return new FilesDigest.Entry(file.name(), key.size(), known.get());
    }
    byte[] digest = hash(file.path());
    if (!FileKey.of(file.path()).equals(key)) {
      throw new KvasirException(
          "weights: %s changed while it was read; start when nobody writes to the model's directory"
              .formatted(file.path()));
    }
    sidecar.put(key, digest);
    return new FilesDigest.Entry(file.name(), key.size(), digest);
  }

  /**
   * {@return the SHA-256 that a Hugging Face cache names a large file's blob by}
   *
   * <p>Small files have blobs named by a Git hash of 40 digits, which is none.
   */
  private static Optional<byte[]> blobDigest(Path file) throws IOException {
    if (!Files.isSymbolicLink(file)) {
      return Optional.empty();
    }
    Path blob = file.toRealPath();
    Path blobs = blob.getParent();
    boolean cache =
        blobs != null
            && blobs.endsWith("blobs")
            && Files.isDirectory(blobs.resolveSibling("snapshots"))
            && SHA256.matcher(blob.getFileName().toString()).matches();
    return cache
        ? Optional.of(HexFormat.of().parseHex(blob.getFileName().toString()))
        : Optional.empty();
  }

  private static byte[] hash(Path file) throws IOException {
    MessageDigest digest = sha256();
    ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
    try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
      while (in.read(buffer) >= 0) {
        digest.update(buffer.flip());
        buffer.clear();
      }
    }
    return digest.digest();
  }

  /** Whole if small; else pieces of 64 KiB at equal distances, the first and the last included. */
  private static FilesDigest.Entry sample(WeightFiles.File file) throws IOException {
    MessageDigest digest = sha256();
    try (FileChannel in = FileChannel.open(file.path(), StandardOpenOption.READ)) {
      long size = in.size();
      if (size <= (long) SAMPLES * SAMPLE) {
        return new FilesDigest.Entry(file.name(), size, hash(file.path()));
      }
      ByteBuffer buffer = ByteBuffer.allocate(SAMPLE);
      for (int i = 0; i < SAMPLES; i++) {
        long at = (size - SAMPLE) / (SAMPLES - 1) * i;
        readFully(in, buffer.clear(), i == SAMPLES - 1 ? size - SAMPLE : at);
        digest.update(buffer.flip());
      }
      return new FilesDigest.Entry(file.name(), size, digest.digest());
    }
  }

  private static void readFully(FileChannel in, ByteBuffer buffer, long at) throws IOException {
    long position = at;
    while (buffer.hasRemaining()) {
      int n = in.read(buffer, position);
      if (n < 0) {
        throw new IOException("the file shrank while it was read");
      }
      position += n;
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}

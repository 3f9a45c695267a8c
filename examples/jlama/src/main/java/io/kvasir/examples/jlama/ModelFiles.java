package io.kvasir.examples.jlama;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of a model directory, checked before Jlama maps them: a missing or truncated file is
 * named here, where Jlama would fail deep inside a tensor.
 *
 * @param directory where the files lie
 * @param config the content of {@code config.json}
 * @param tensors the tensors of all {@code *.safetensors} files, by name
 */
public record ModelFiles(Path directory, JsonNode config, Map<String, StoredTensor> tensors) {

  /** Where the bytes of one tensor lie: {@code [start, end)} of the file. */
  public record StoredTensor(Path file, String dtype, long start, long end) {}

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MAX_HEADER = 1 << 20;
  private static final Pattern VALUE_PROJECTION =
      Pattern.compile("model\\.layers\\.(\\d+)\\.self_attn\\.v_proj\\.weight");

  /**
   * Reads the headers.
   *
   * @throws IllegalArgumentException if the directory is no model that Jlama can load, naming what
   *     is missing or broken
   */
  public static ModelFiles read(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new IllegalArgumentException(
          ("model %s: not a directory; name one that holds config.json, tokenizer.json and"
                  + " *.safetensors")
              .formatted(directory));
    }
    for (String name : List.of("config.json", "tokenizer.json")) {
      if (!Files.isRegularFile(directory.resolve(name))) {
        throw new IllegalArgumentException(
            "model %s: no %s; a model directory holds config.json, tokenizer.json and *.safetensors"
                .formatted(directory, name));
      }
    }
    JsonNode config =
        parse(
            directory.resolve("config.json"), Files.readAllBytes(directory.resolve("config.json")));
    Map<String, StoredTensor> tensors = new TreeMap<>();
    for (Path file : weightFiles(directory)) {
      readHeader(file, tensors);
    }
    return new ModelFiles(directory, config, Map.copyOf(tensors));
  }

  /**
   * Makes a copy whose weights differ in one number: the first of the last layer's {@code v_proj},
   * whose sign is turned. All other files are hard links where the file system has them.
   */
  public Path copyWithOneOtherNumber(Path target) throws IOException {
    StoredTensor tensor = lastValueProjection();
    Files.createDirectories(target);
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path copy = target.resolve(file.getFileName());
        if (file.equals(tensor.file())) {
          Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
          turnSign(copy, tensor);
        } else {
          linkOrCopy(file, copy);
        }
      }
    }
    return target;
  }

  private StoredTensor lastValueProjection() {
    int last = -1;
    StoredTensor found = null;
    for (Map.Entry<String, StoredTensor> tensor : tensors.entrySet()) {
      Matcher matcher = VALUE_PROJECTION.matcher(tensor.getKey());
      if (matcher.matches() && Integer.parseInt(matcher.group(1)) > last) {
        last = Integer.parseInt(matcher.group(1));
        found = tensor.getValue();
      }
    }
    if (found == null) {
      throw new IllegalArgumentException(
          ("model %s: no tensor model.layers.N.self_attn.v_proj.weight; use a model of the Llama,"
                  + " Mistral, Gemma or Qwen2 family")
              .formatted(directory));
    }
    return found;
  }

  private static void turnSign(Path file, StoredTensor tensor) throws IOException {
    int width =
        switch (tensor.dtype()) {
          case "F32" -> 4;
          case "F16", "BF16" -> 2;
          default -> 1;
        };
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer top = ByteBuffer.allocate(1);
      long position = tensor.start() + width - 1;
      channel.read(top, position);
      top.put(0, (byte) (top.get(0) ^ 0x80)).rewind();
      channel.write(top, position);
    }
  }

  private static void linkOrCopy(Path file, Path copy) throws IOException {
    Files.deleteIfExists(copy);
    try {
      Files.createLink(copy, file.toRealPath());
    } catch (UnsupportedOperationException | FileSystemException e) {
      Files.copy(file, copy); // another file system, or one without links
    }
  }

  private static List<Path> weightFiles(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      List<Path> weights =
          files.filter(f -> f.getFileName().toString().endsWith(".safetensors")).sorted().toList();
      if (weights.isEmpty()) {
        throw new IllegalArgumentException(
            "model %s: no *.safetensors file; Jlama reads weights in safetensors format only"
                .formatted(directory));
      }
      return weights;
    }
  }

  private static void readHeader(Path file, Map<String, StoredTensor> into) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      long size = channel.size();
      long length = size < 8 ? -1 : readFully(channel, 0, 8).getLong();
      if (length < 2 || length > Math.min(size - 8, MAX_HEADER)) {
        throw new IllegalArgumentException(
            ("%s: %d bytes, the first 8 give a header of %d; the file is truncated or no"
                    + " safetensors file, fetch it again")
                .formatted(file, size, length));
      }
      JsonNode header = parse(file, readFully(channel, 8, (int) length).array());
      for (Map.Entry<String, JsonNode> entry : header.properties()) {
        JsonNode offsets = entry.getValue().path("data_offsets");
        if (entry.getKey().equals("__metadata__")) {
          continue;
        }
        long start = 8 + length + offsets.path(0).asLong(-1);
        long end = 8 + length + offsets.path(1).asLong(-1);
        if (start < 8 + length || end < start || end > size) {
          throw new IllegalArgumentException(
              ("%s: tensor %s lies at [%d, %d) of a file of %d bytes; the file is truncated or"
                      + " corrupt, fetch it again")
                  .formatted(file, entry.getKey(), start, end, size));
        }
        String dtype = entry.getValue().path("dtype").asText();
        into.put(entry.getKey(), new StoredTensor(file, dtype, start, end));
      }
    }
  }

  private static ByteBuffer readFully(FileChannel channel, long position, int length)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    while (bytes.hasRemaining() && channel.read(bytes, position + bytes.position()) >= 0) {}
    return bytes.flip();
  }

  private static JsonNode parse(Path file, byte[] json) throws IOException {
    try {
      JsonNode node = JSON.readTree(json);
      if (node == null || !node.isObject()) {
        throw new IllegalArgumentException(
            file + ": holds no JSON object; the file is corrupt, fetch it again");
      }
      return node;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "%s: line %d, column %d: %s; the file is corrupt, fetch it again"
              .formatted(
                  file,
                  e.getLocation().getLineNr(),
                  e.getLocation().getColumnNr(),
                  e.getOriginalMessage().replaceAll(" \\(start marker at \\[Source:[^]]*]\\)", "")),
          e);
    }
  }
}

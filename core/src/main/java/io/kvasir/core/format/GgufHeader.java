package io.kvasir.core.format;

import io.kvasir.api.format.FormatException;
import io.kvasir.core.identity.Digests;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The metadata of a GGUF file, versions 2 and 3, little endian. What is long is not kept: of the
 * tokenizer there is a digest. No tensor is read, and no more memory is taken than for the keys of
 * the model's architecture, whatever lengths the file claims.
 */
final class GgufHeader {
  private static final int MAGIC = 0x46554747; // GGUF
  private static final int MOST_KEYS = 1 << 16;
  private static final int MOST_TEXT = 1 << 16;
  private static final int DEEPEST = 4;
  private static final int TEXT = 8;
  private static final int ARRAY = 9;
  private static final int[] SIZES = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

  private final Path file;
  private final InputStream in;
  private long left;
  private MessageDigest hashing;

  private final Map<String, Object> values = new LinkedHashMap<>();
  private final Map<String, String> tokenizer = new TreeMap<>();

  private GgufHeader(Path file, InputStream in, long size) {
    this.file = file;
    this.in = in;
    this.left = size;
  }

  /**
   * {@return the header of a file}
   *
   * @throws FormatException if it is no GGUF of version 2 or 3, is cut, or names a key twice
   */
  static GgufHeader read(Path file) {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
      GgufHeader header = new GgufHeader(file, in, Files.size(file));
      header.read();
      return header;
    } catch (IOException e) {
      throw new FormatException("%s: cannot be read: %s".formatted(file, e), e);
    }
  }

  /** {@return the values of scalars, texts and short arrays of numbers, by key} */
  Map<String, Object> values() {
    return values;
  }

  /** {@return {@code sha256:} over what the file says of its tokenizer: a label, not identity} */
  Optional<String> tokenizerDigest() {
    if (tokenizer.isEmpty()) {
      return Optional.empty();
    }
    MessageDigest all = Digests.sha256();
    tokenizer.forEach(
        (key, digest) -> all.update((key + " " + digest + "\n").getBytes(StandardCharsets.UTF_8)));
    return Optional.of("sha256:" + HexFormat.of().formatHex(all.digest()));
  }

  private void read() throws IOException {
    if (left < 24 || number(4) != MAGIC) {
      throw wrong("is no GGUF file");
    }
    long version = number(4);
    if (version != 2 && version != 3) {
      throw wrong(
          "version %d is not read, versions 2 and 3 are (little endian)".formatted(version));
    }
    number(8); // the tensors, which nobody reads here
    long keys = number(8);
    if (keys < 0 || keys > MOST_KEYS) {
      throw wrong("claims %s keys; at most %d".formatted(Long.toUnsignedString(keys), MOST_KEYS));
    }
    Set<String> seen = new HashSet<>();
    for (long i = 0; i < keys; i++) {
      String key = text("a key");
      if (!seen.add(key)) {
        throw wrong("the key %s stands twice".formatted(Fields.cut(key)));
      }
      boolean ofTokenizer =
          key.startsWith("tokenizer.") && !key.startsWith("tokenizer.chat_template");
      hashing = ofTokenizer ? Digests.sha256() : null;
      int type = type(key);
      Object value = value(key, type, !ofTokenizer, 0);
      if (ofTokenizer) {
        tokenizer.put(key, HexFormat.of().formatHex(hashing.digest()));
        hashing = null;
      } else if (value != null) {
        values.put(key, value);
      }
    }
  }

  private int type(String key) throws IOException {
    long type = number(4);
    if (type < 0 || type >= SIZES.length) {
      throw wrong("%s: has the unknown type %d".formatted(Fields.cut(key), type));
    }
    return (int) type;
  }

  /** {@return the value; null where it is not kept} */
  private Object value(String key, int type, boolean kept, int depth) throws IOException {
    if (type == ARRAY) {
      return array(key, kept, depth);
    }
    if (type == TEXT) {
      long length = length(key, number(8), 1);
      if (!kept || length > MOST_TEXT) {
        skip(length);
        return null;
      }
      return utf8(key, bytes((int) length));
    }
    byte[] raw = bytes(SIZES[type]);
    ByteBuffer b = ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN);
    return switch (type) {
      case 0 -> (long) Byte.toUnsignedInt(raw[0]);
      case 1 -> (long) raw[0];
      case 2 -> (long) Short.toUnsignedInt(b.getShort());
      case 3 -> (long) b.getShort();
      case 4 -> Integer.toUnsignedLong(b.getInt());
      case 5 -> (long) b.getInt();
      case 6 -> decimal(Float.toString(b.getFloat()));
      case 7 -> raw[0] != 0;
      case 12 -> decimal(Double.toString(b.getDouble()));
      default -> whole(key, b.getLong(), type == 10);
    };
  }

  private Object whole(String key, long value, boolean unsigned) {
    if (Math.abs(value) > (1L << 53) - 1 || (unsigned && value < 0)) {
      throw wrong(
          "%s: %s is out of range"
              .formatted(Fields.cut(key), unsigned ? Long.toUnsignedString(value) : value));
    }
    return value;
  }

  /** The shortest decimal, as the configuration has it from which the file was made. */
  private static Object decimal(String text) {
    return text.endsWith("N") || text.endsWith("y") ? text : new BigDecimal(text);
  }

  private Object array(String key, boolean kept, int depth) throws IOException {
    int type = type(key);
    long count = number(8);
    if (type == ARRAY || type == TEXT) {
      length(key, count, 8);
      for (long i = 0; i < count; i++) {
        if (depth == DEEPEST) {
          throw wrong("%s: is nested deeper than %d".formatted(Fields.cut(key), DEEPEST));
        }
        value(key, type, false, depth + 1);
      }
      return null;
    }
    length(key, count, SIZES[type]);
    if (!kept || count > NormalConfig.MOST_LAYERS) {
      skip(count * SIZES[type]);
      return null;
    }
    List<Object> out = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      out.add(value(key, type, true, depth + 1));
    }
    return out;
  }

  /** A length that the rest of the file can hold, whatever is claimed. */
  private long length(String key, long count, int size) {
    if (count < 0 || count > left / size) {
      throw wrong(
          "%s: claims a length of %s; the file ends before"
              .formatted(Fields.cut(key), Long.toUnsignedString(count)));
    }
    return count;
  }

  private String text(String what) throws IOException {
    long length = length(what, number(8), 1);
    if (length > MOST_TEXT) {
      throw wrong("%s of %d bytes; at most %d".formatted(what, length, MOST_TEXT));
    }
    return utf8(what, bytes((int) length));
  }

  private String utf8(String key, byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new FormatException("%s: %s: not UTF-8".formatted(file, Fields.cut(key)), e);
    }
  }

  private long number(int size) throws IOException {
    ByteBuffer b = ByteBuffer.wrap(bytes(size)).order(ByteOrder.LITTLE_ENDIAN);
    return size == 4 ? b.getInt() : b.getLong();
  }

  private byte[] bytes(int size) throws IOException {
    byte[] out = in.readNBytes(size);
    if (out.length < size) {
      throw wrong("ends within its header");
    }
    left -= size;
    if (hashing != null) {
      hashing.update(out);
    }
    return out;
  }

  private void skip(long size) throws IOException {
    if (hashing == null) {
      in.skipNBytes(size);
      left -= size;
      return;
    }
    for (long rest = size; rest > 0; rest -= Math.min(rest, MOST_TEXT)) {
      bytes((int) Math.min(rest, MOST_TEXT));
    }
  }

  private FormatException wrong(String what) {
    return new FormatException(file + ": " + what + "; give a whole GGUF file");
  }
}

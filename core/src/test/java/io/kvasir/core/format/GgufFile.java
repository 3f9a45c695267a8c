package io.kvasir.core.format;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes GGUF headers after the format's description, and bytes that stand for tensors. */
final class GgufFile {
  private final Map<String, Object> values = new LinkedHashMap<>();
  private int version = 3;

  GgufFile put(String key, Object value) {
    values.put(key, value);
    return this;
  }

  GgufFile version(int version) {
    this.version = version;
    return this;
  }

  byte[] bytes() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes("GGUF".getBytes(StandardCharsets.US_ASCII));
    out.writeBytes(number(4, version));
    out.writeBytes(number(8, 1)); // a tensor
    out.writeBytes(number(8, values.size()));
    values.forEach(
        (key, value) -> {
          text(out, key);
          out.writeBytes(number(4, type(value)));
          value(out, value);
        });
    text(out, "output.weight"); // its name, dimensions, type and place: nobody may read them
    out.writeBytes(new byte[64]);
    return out.toByteArray();
  }

  private static int type(Object value) {
    return switch (value) {
      case Integer _ -> 4;
      case Long _ -> 10;
      case Float _ -> 6;
      case Boolean _ -> 7;
      case String _ -> 8;
      case List<?> _ -> 9;
      default -> 12;
    };
  }

  private static void value(ByteArrayOutputStream out, Object value) {
    switch (value) {
      case Integer n -> out.writeBytes(number(4, n));
      case Long n -> out.writeBytes(number(8, n));
      case Float f -> out.writeBytes(number(4, Float.floatToIntBits(f)));
      case Boolean b -> out.write(b ? 1 : 0);
      case String s -> text(out, s);
      case List<?> l -> {
        out.writeBytes(number(4, l.isEmpty() ? 4 : type(l.getFirst())));
        out.writeBytes(number(8, l.size()));
        l.forEach(each -> value(out, each));
      }
      default -> out.writeBytes(number(8, Double.doubleToLongBits((Double) value)));
    }
  }

  private static void text(ByteArrayOutputStream out, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    out.writeBytes(number(8, utf8.length));
    out.writeBytes(utf8);
  }

  private static byte[] number(int size, long value) {
    ByteBuffer b = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value);
    byte[] out = new byte[size];
    b.get(0, out);
    return out;
  }
}

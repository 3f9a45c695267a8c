package io.kvasir.core.format;

import io.kvasir.api.format.FormatException;
import io.kvasir.core.identity.Digests;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.Map;

/**
 * The scales that an engine holds for fp8 K and V: setting {@code kv_scales}, which is {@code
 * "one"} where all are 1.0, or the digests of K's and of V's values.
 */
record KvScales(Settings settings) {
  /**
   * {@return {@code sha256:} over the values of K or V, layer by layer, f32 little endian}
   *
   * @throws FormatException if nobody says which they are
   */
  String digest(String side, int layers) {
    if (settings.on("calculate_kv_scales")) {
      throw settings.error(
          "calculate_kv_scales",
          "true computes scales at run time that do not lie in the block, so no block can be"
              + " shared; give scales in the checkpoint, or false");
    }
    if (settings.isNull("kv_scales")) {
      throw settings.asks(
          "kv_scales",
          "kv_scales",
          "missing, but fp8 K and V mean nothing without their scales; give \"one\" if all are 1.0,"
              + " or {\"k\":\"sha256:…\",\"v\":\"sha256:…\"} over the checkpoint's values (layer by"
              + " layer, f32 little endian)");
    }
    if ("one".equals(settings.get("kv_scales"))) {
      return ones(layers);
    }
    if (!(settings.get("kv_scales") instanceof Map<?, ?>)) {
      throw settings.wrong("kv_scales", "\"one\" or {\"k\":\"sha256:…\",\"v\":\"sha256:…\"}");
    }
    Fields digests = settings.object("kv_scales");
    if (digests.json().size() != 2 || !digests.text(side).matches("sha256:[0-9a-f]{64}")) {
      throw digests.wrong(
          side, "\"sha256:\" and 64 lower-case hexadecimal digits, for k and for v");
    }
    return digests.text(side);
  }

  private static String ones(int layers) {
    ByteBuffer values = ByteBuffer.allocate(4 * layers).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < layers; i++) {
      values.putFloat(1.0f);
    }
    byte[] digest = Digests.sha256().digest(values.array());
    return "sha256:" + HexFormat.of().formatHex(digest);
  }
}

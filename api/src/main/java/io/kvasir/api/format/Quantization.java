package io.kvasir.api.format;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How K and V are quantised.
 *
 * @param k scheme of K
 * @param v scheme of V
 */
public record Quantization(Scheme k, Scheme v) {
  /**
   * The entry of latent attention that vLLM and SGLang store: 512 elements in fp8 with an f32 scale
   * for each 128, and 64 elements for RoPE in bf16.
   */
  private static final String FP8_DS_MLA = "fp8_ds_mla";

  /** Four scales, and the second byte of each element for RoPE. */
  private static final long FP8_DS_MLA_BESIDE = 4 * 4 + 64;

  /** {@return the object in a manifest} */
  public Map<String, Object> json() {
    return Map.of("k", k.json(), "v", v.json());
  }

  /**
   * One side's scheme. The names are those of the manifest; what does not apply is null.
   *
   * @param scheme {@code int}, {@code fp8}, …
   * @param bits per element
   * @param axis what shares a scale: {@code tensor}, {@code channel}, {@code token}, {@code group}
   * @param groupSize elements that share a scale where the axis is {@code group}
   * @param symmetric false where a zero point stands beside each scale
   * @param scaleDtype type of a scale and of a zero point
   * @param packing order of elements within a byte
   * @param scales where the scales lie
   */
  public record Scheme(
      String scheme,
      int bits,
      String axis,
      Integer groupSize,
      boolean symmetric,
      Dtype scaleDtype,
      String packing,
      Scales scales) {

    /** {@return the object in a manifest} */
    public Map<String, Object> json() {
      Map<String, Object> out = new LinkedHashMap<>();
      out.put("scheme", scheme);
      out.put("bits", bits);
      out.put("axis", axis);
      out.put("group_size", groupSize);
      out.put("symmetric", symmetric);
      out.put("scale_dtype", scaleDtype == null ? null : scaleDtype.wireName());
      out.put("packing", packing);
      out.put("scales", scales.json());
      return out;
    }

    /**
     * {@return bytes of the scales that lie in a block of {@code tokens} × {@code heads} × {@code
     * dim}}
     */
    long scaleBytes(long tokens, long heads, long dim) {
      if (!scales.inBlock()) {
        return 0;
      }
      if (scheme.equals(FP8_DS_MLA)) {
        return Math.multiplyExact(Math.multiplyExact(tokens, heads), FP8_DS_MLA_BESIDE);
      }
      long count =
          switch (axis) {
            case "tensor" -> 1;
            case "channel" -> Math.multiplyExact(heads, dim);
            case "token" -> Math.multiplyExact(tokens, heads);
            case "group" ->
                Math.multiplyExact(
                    Math.multiplyExact(tokens, heads),
                    Math.ceilDiv(dim, groupSize == null ? dim : groupSize));
            default -> throw new FormatException("quant.axis: \"" + axis + "\" has no known size");
          };
      if (scaleDtype == null) {
        throw new FormatException("quant.scale_dtype: null, but the scales lie in the block");
      }
      return Math.multiplyExact(count, (symmetric ? 1L : 2L) * scaleDtype.bits() / 8);
    }
  }

  /**
   * Where the scales lie.
   *
   * @param in {@code block} or {@code engine}
   * @param digest null in a block; else {@code sha256:…} over all values, layer by layer, f32
   *     little endian, because the bytes mean nothing without them
   */
  public record Scales(String in, String digest) {
    /** The scales lie in the block. */
    public static final Scales IN_BLOCK = new Scales("block", null);

    /** {@return scales that the engine holds} */
    public static Scales inEngine(String digest) {
      return new Scales("engine", digest);
    }

    /** {@return whether a block carries them} */
    public boolean inBlock() {
      return in.equals("block");
    }

    /** {@return the object in a manifest} */
    public Map<String, Object> json() {
      Map<String, Object> out = new LinkedHashMap<>();
      out.put("in", in);
      out.put("digest", digest);
      return out;
    }
  }
}

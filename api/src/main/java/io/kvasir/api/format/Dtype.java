package io.kvasir.api.format;

import java.util.Arrays;
import java.util.Optional;

/** Type of a stored K or V element. There is no {@code auto}. */
public enum Dtype {
  /** IEEE binary32. */
  F32("f32", 32),
  /** IEEE binary16. */
  F16("f16", 16),
  /** bfloat16. */
  BF16("bf16", 16),
  /** 8-bit float, 4 exponent and 3 mantissa bits. */
  FP8_E4M3("fp8_e4m3", 8),
  /** 8-bit float, 5 exponent and 2 mantissa bits. */
  FP8_E5M2("fp8_e5m2", 8),
  /** 8-bit integer. */
  INT8("int8", 8),
  /** 4-bit integer, two in a byte. */
  INT4("int4", 4),
  /** 2-bit integer, four in a byte. */
  INT2("int2", 2);

  private final String wireName;
  private final int bits;

  Dtype(String wireName, int bits) {
    this.wireName = wireName;
    this.bits = bits;
  }

  /** {@return the name in a manifest} */
  public String wireName() {
    return wireName;
  }

  /** {@return the size of an element in bits} */
  public int bits() {
    return bits;
  }

  /** {@return the type with this name in a manifest} */
  public static Optional<Dtype> named(String wireName) {
    return Arrays.stream(values()).filter(d -> d.wireName.equals(wireName)).findFirst();
  }
}

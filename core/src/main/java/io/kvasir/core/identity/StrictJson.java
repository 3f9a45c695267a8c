package io.kvasir.core.identity;

import io.kvasir.api.identity.CanonicalJson;
import io.kvasir.api.identity.IdentityException;
import io.kvasir.core.config.ConfigFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;

/**
 * Reads JSON that identities are made of into a tree of {@link Map}, {@link java.util.List}, {@link
 * String}, {@link Long}, {@link java.math.BigDecimal}, {@link Boolean} and null.
 *
 * <p>Refused is what two readers could understand differently: a name that stands twice, a lone
 * surrogate, U+0000, an integer beyond ±(2⁵³−1) however it is written, NaN and infinities, bytes
 * that are not UTF-8, and anything after the value. Depth, length of a number and size are bounded.
 * Each error names the source, the place and the value.
 */
public final class StrictJson {
  /** Bytes of the largest document. */
  public static final int MAX_BYTES = 64 << 20;

  /** Levels of the deepest document. */
  public static final int MAX_DEPTH = 64;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS) // so that the error can say what it is
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNumberLength(800) // the longest exact binary64 has 767 digits
                  .maxNameLength(1 << 16)
                  .maxStringLength(MAX_BYTES)
                  .build())
          .build();

  private StrictJson() {}

  /**
   * {@return the tree of a document}
   *
   * @param source what the bytes are: a file's name, for the error
   * @throws IdentityException if the document is refused
   */
  public static Object value(String source, byte[] json) {
    return read(source, json, false);
  }

  /**
   * {@return the tree of a document that is an object}
   *
   * @param source what the bytes are: a file's name, for the error
   * @throws IdentityException if the document is refused, or is no object
   */
  public static Map<String, Object> object(String source, byte[] json) {
    return asObject(source, value(source, json));
  }

  /**
   * {@return the tree of a file that is an object}
   *
   * @throws IdentityException if the document is refused, or is no object
   * @throws IOException if the file cannot be read
   */
  public static Map<String, Object> object(Path file) throws IOException {
    return object(file.toString(), bytes(file));
  }

  /**
   * {@return the tree of a model's file, in which the literals {@code NaN}, {@code Infinity} and
   * {@code -Infinity} that Python writes stand as strings, and so do huge numbers with an exponent,
   * such as {@code 1e308}, which files have where they mean no limit}
   *
   * @throws IdentityException if the document is refused, or is no object
   * @throws IOException if the file cannot be read
   */
  public static Map<String, Object> modelFile(Path file) throws IOException {
    return modelFile(file.toString(), bytes(file));
  }

  /**
   * {@return the tree of a model's file, as {@link #modelFile(Path)} reads it}
   *
   * @param source what the bytes are: a file's name, for the error
   */
  public static Map<String, Object> modelFile(String source, byte[] json) {
    return asObject(source, read(source, json, true));
  }

  private static byte[] bytes(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return in.readNBytes(MAX_BYTES + 1); // one more, so that a longer file is refused
    }
  }

  @SuppressWarnings("unchecked") // the builder makes maps with names alone
  private static Map<String, Object> asObject(String source, Object value) {
    if (value instanceof Map<?, ?>) {
      return (Map<String, Object>) value;
    }
    throw new IdentityException(
        source + ": " + TreeBuilder.cut(CanonicalJson.text(value), 80) + " is not an object");
  }

  private static Object read(String source, byte[] json, boolean nonFiniteAsText) {
    if (json.length > MAX_BYTES) {
      throw new IdentityException(
          source + ": larger than " + (MAX_BYTES >> 20) + " MiB; no document of identity is");
    }
    try (JsonParser parser =
        FACTORY.createParser(ObjectReadContext.empty(), decode(source, json))) {
      return new TreeBuilder(source, parser, nonFiniteAsText).document();
    } catch (JacksonException e) {
      throw new IdentityException(
          source + ": not JSON: " + ConfigFile.reason(e) + place(e.getLocation()));
    }
  }

  private static String place(TokenStreamLocation at) {
    return at == null ? "" : "; line " + at.getLineNr() + ", column " + at.getColumnNr();
  }

  /** Jackson would guess the encoding, and reads some overlong forms. */
  private static char[] decode(String source, byte[] json) {
    CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    ByteBuffer in = ByteBuffer.wrap(json);
    CharBuffer out = CharBuffer.allocate(json.length);
    try {
      var result = decoder.decode(in, out, true);
      if (result.isError()) {
        result.throwException();
      }
    } catch (CharacterCodingException e) {
      throw new IdentityException(source + ": not UTF-8 at byte " + in.position());
    }
    char[] chars = new char[out.flip().remaining()];
    out.get(chars);
    return chars;
  }
}

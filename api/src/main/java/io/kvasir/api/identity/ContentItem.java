package io.kvasir.api.identity;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

/**
 * An image, a sound or other content whose embeddings stand in the place of tokens.
 *
 * <p>The digest covers all that decides embeddings <em>and positions</em>: content, processor
 * settings, encoder. An item counts once, in the block of its first placeholder.
 *
 * @param position index of the first placeholder token in the prompt
 * @param span number of placeholder tokens
 * @param kind {@code image}, {@code audio}, …
 * @param digest 32 bytes; do not change them afterwards
 */
@SuppressWarnings("ArrayRecordComponent") // equality below is over the bytes
public record ContentItem(int position, int span, String kind, byte[] digest) {
  /** Order within a block: offset, kind as UTF-8, digest. */
  public static final Comparator<ContentItem> ORDER =
      Comparator.comparingInt(ContentItem::position)
          .thenComparing(i -> i.kind.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned)
          .thenComparing(ContentItem::digest, Arrays::compareUnsigned);

  /** Checks the places and the digest. */
  public ContentItem {
    if (position < 0 || span < 1) {
      throw new IdentityException(
          "content item: position %d and span %d; a position is ≥ 0 and a span ≥ 1"
              .formatted(position, span));
    }
    Text.required("content item kind", kind);
    if (digest.length != Sha256.BYTES) {
      throw new IdentityException("a content digest has 32 bytes, not " + digest.length);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ContentItem i
        && position == i.position
        && span == i.span
        && kind.equals(i.kind)
        && Arrays.equals(digest, i.digest);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * position + span) + Arrays.hashCode(digest);
  }

  @Override
  public String toString() {
    return "%s@%d+%d:%s".formatted(kind, position, span, Sha256.hex(digest));
  }
}

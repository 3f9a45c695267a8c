package io.kvasir.api;

/**
 * The longest usable prefix of a request.
 *
 * @param requestId the request
 * @param tokens tokens of the prefix: whole blocks of every group
 * @param leased whether the store keeps it loadable; a match that is not leased is a hint
 * @param status {@code OK}, also where nothing was found; otherwise why the store was not asked or
 *     did not answer
 */
public record PrefixMatch(long requestId, int tokens, boolean leased, BlockStatus status) {
  /** {@return a match of nothing} */
  public static PrefixMatch none(long requestId, BlockStatus status) {
    return new PrefixMatch(requestId, 0, false, status);
  }
}

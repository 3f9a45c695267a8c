package io.kvasir.conformance.engine;

import io.kvasir.api.KvRequest;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.PrefixMatch;
import io.kvasir.api.Transfer;
import io.kvasir.api.identity.RequestScope;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** A request within the engine: its tokens, its rows, and how far it is computed. */
final class Sequence {
  /** Where a sequence stands. */
  enum Phase {
    NEW,
    LOOKING,
    FOUND,
    LOADING,
    RUNNING,
    ENDING
  }

  final RequestScope scope;
  final int[] tokens; // prompt, then what will be decoded
  final int prompt;
  final Map<Long, Transfer<?>> inFlight = new HashMap<>();
  private final PagedCache cache;
  private final CacheShape shape;
  private final long[] states;
  private final int[] rows;
  Phase phase = Phase.NEW;
  KvRequest request;
  PrefixMatch match;
  long weights; // in force when the request began
  int held; // rows
  int computed; // tokens
  int known; // tokens that the request was told
  boolean again; // preempted: begins anew when it has ended

  Sequence(PagedCache cache, RequestScope scope, int[] tokens, int prompt) {
    this.cache = cache;
    this.shape = cache.shape();
    this.scope = scope;
    this.tokens = tokens;
    this.prompt = prompt;
    this.states = new long[tokens.length];
    this.rows = new int[Math.ceilDiv(tokens.length, shape.blockTokens())];
  }

  /** {@return the rows that the prompt needs and are not held yet} */
  int wanted(int tokens) {
    return Math.ceilDiv(tokens, shape.blockTokens()) - held;
  }

  void take(Pages pages, int count) {
    for (int i = 0; i < count; i++) {
      rows[held++] = pages.take();
    }
  }

  void give(Pages pages) {
    while (held > 0) {
      pages.give(rows[--held]);
    }
  }

  PagedBlocks memory(int firstBlock, int endBlock) {
    return cache.blocks(firstBlock, Arrays.copyOfRange(rows, firstBlock, endBlock));
  }

  /** {@return the number of blocks that are computed in full} */
  int blocks() {
    return computed / shape.blockTokens();
  }

  /** Computes the tokens up to {@code end} with these weights. */
  void compute(int end, long weights) {
    states(end, weights);
    for (int b = computed / shape.blockTokens(); b * shape.blockTokens() < end; b++) {
      cache.write(rows[b], expected(b, end));
    }
    computed = end;
  }

  /** Takes loaded tokens for computed ones, all with the weights in which the request began. */
  void loaded(int tokens) {
    states(tokens, weights);
    computed = tokens;
  }

  private void states(int end, long weights) {
    for (int i = computed; i < end; i++) {
      long before = i == 0 ? Model.start(scope) : states[i - 1];
      states[i] = Model.next(before, weights, i, tokens[i]);
    }
  }

  private byte[] expected(int block, int end) {
    int from = block * shape.blockTokens();
    return Model.block(shape, states, from, Math.min(shape.blockTokens(), end - from));
  }

  /** Compares all that is computed with what it must be. */
  void verify(Tally tally, String when) {
    for (int b = 0; b * shape.blockTokens() < computed; b++) {
      byte[] bytes = cache.read(rows[b]);
      byte[] right = expected(b, computed);
      int tokensHere = Math.min(shape.blockTokens(), computed - b * shape.blockTokens());
      boolean whole = tokensHere == shape.blockTokens();
      if (whole ? !Arrays.equals(bytes, right) : !sameTokens(bytes, right, tokensHere)) {
        tally.wrongBytes++;
        tally.failure(
            "%s: block %d of request %d has a wrong byte at %d"
                .formatted(when, b, request.id(), Arrays.mismatch(bytes, right)));
      }
    }
  }

  private boolean sameTokens(byte[] bytes, byte[] right, int tokens) {
    int piece = shape.pieceBytes();
    int length = tokens * shape.headBytes();
    for (int at = 0; at < bytes.length; at += piece) {
      if (!Arrays.equals(bytes, at, at + length, right, at, at + length)) {
        return false;
      }
    }
    return true;
  }
}

package io.kvasir.examples.jlama;

import java.util.List;

/**
 * What one prompt gave.
 *
 * @param tokens the decoded tokens
 * @param logits SHA-256, in hex, of the raw logits of all decode steps: two runs agree in it only
 *     if they agree in every bit, where equal tokens prove little
 * @param hitTokens prompt tokens whose keys and values came from the store
 * @param computedTokens prompt tokens that were given to Jlama, counted where Jlama is called
 * @param prefillMillis from the start of the request to the logits of the last prompt token
 */
public record Generation(
    List<Integer> tokens, String logits, int hitTokens, int computedTokens, double prefillMillis) {

  /** Copies the tokens. */
  public Generation {
    tokens = List.copyOf(tokens);
  }
}

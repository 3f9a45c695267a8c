package io.kvasir.examples.jlama;

import java.util.SplittableRandom;

/**
 * The texts of the demonstration, made up from a seed: no file and no network is needed, and every
 * machine sees the same prompt.
 */
final class Prompts {

  /** The question of a run: two of them share the document and differ from their first letter. */
  static final String QUESTION_A = "Who keeps the well?";

  static final String QUESTION_B = "What is in the hall?";

  /** What a question takes at most: a token for each byte. */
  static final int QUESTION_TOKENS = 32;

  private static final String[] WHO = {
    "the keeper",
    "a raven",
    "the old king",
    "her brother",
    "no traveller",
    "the ferryman",
    "one of the nine",
    "a shepherd",
    "the smith",
    "whoever was awake",
  };
  private static final String[] DOES = {
    "remembers",
    "forgets",
    "draws water from",
    "asks about",
    "walks around",
    "trades for",
    "sings of",
    "guards",
    "measures",
    "leaves behind",
  };
  private static final String[] WHAT = {
    "the well", "the long winter", "a silver horn", "the road north", "three questions",
    "the empty hall", "an oath", "the root of the tree", "a borrowed eye", "last year's seed",
  };

  private Prompts() {}

  /** Sentences of at least {@code characters} characters. The same arguments give the same text. */
  static String document(long seed, int characters) {
    SplittableRandom random = new SplittableRandom(seed);
    StringBuilder text = new StringBuilder(characters + 80);
    while (text.length() < characters) {
      String sentence = pick(random, WHO) + ' ' + pick(random, DOES) + ' ' + pick(random, WHAT);
      text.append(Character.toUpperCase(sentence.charAt(0))).append(sentence, 1, sentence.length());
      text.append(random.nextInt(5) == 0 ? ".\n" : ". ");
    }
    return text.toString();
  }

  private static String pick(SplittableRandom random, String[] from) {
    return from[random.nextInt(from.length)];
  }
}

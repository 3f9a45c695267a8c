package io.kvasir.examples.jlama;

import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * What the user asked for.
 *
 * @param model a model directory of the user's own; otherwise one is written
 * @param sharedTokens length of the document that both questions share
 * @param newTokens tokens to decode per run
 * @param runs runs of which the median counts
 * @param json whether the last line is the result as JSON
 * @param store where blocks are kept
 */
record DemoOptions(
    Optional<Path> model,
    int sharedTokens,
    int newTokens,
    int runs,
    boolean json,
    DemoStore store) {

  static final String USAGE =
      """
      usage: ./demo [--model DIR] [--shared-tokens N] [--new-tokens N] [--runs N]
                    [--store local|mooncake] [--json]

      Asks two questions about one long document, each in a JVM of its own, and shows what the
      second one saves because the first one stored its KV cache.

        --model DIR        a model of your own: safetensors, config.json, tokenizer.json
                           (otherwise a random Llama of 23 M parameters is written)
        --shared-tokens N  length of the document in tokens (2000)
        --new-tokens N     tokens to decode per run (16)
        --runs N           runs of which the median counts (3)
        --store NAME       local (the default), or mooncake: the cluster whose master is
                           KVASIR_MOONCAKE_MASTER, through the library MOONCAKE_STORE_LIBRARY
        --json             print the result as JSON in the last line
      """;

  static DemoOptions parse(List<String> arguments) {
    Optional<Path> model = Optional.empty();
    int sharedTokens = 2000;
    int newTokens = 16;
    int runs = 3;
    boolean json = false;
    DemoStore store = DemoStore.LOCAL;
    Iterator<String> rest = arguments.iterator();
    while (rest.hasNext()) {
      String argument = rest.next();
      switch (argument) {
        case "--json" -> json = true;
        case "--model" -> model = Optional.of(Path.of(value(argument, rest)));
        case "--shared-tokens" -> sharedTokens = number(argument, rest);
        case "--new-tokens" -> newTokens = number(argument, rest);
        case "--store" -> store = DemoStore.named(value(argument, rest));
        case "--runs" -> runs = number(argument, rest);
        default ->
            throw new IllegalArgumentException(
                "\"%s\" is no option\n%s".formatted(argument, USAGE));
      }
    }
    return new DemoOptions(model, sharedTokens, newTokens, runs, json, store);
  }

  private static String value(String option, Iterator<String> rest) {
    if (!rest.hasNext()) {
      throw new IllegalArgumentException("%s: no value\n%s".formatted(option, USAGE));
    }
    return rest.next();
  }

  private static int number(String option, Iterator<String> rest) {
    String value = value(option, rest);
    if (!value.matches("[1-9][0-9]{0,6}")) {
      throw new IllegalArgumentException(
          "%s: \"%s\" is no number from 1\n%s".formatted(option, value, USAGE));
    }
    return Integer.parseInt(value);
  }
}

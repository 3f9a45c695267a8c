package io.kvasir.conformance;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * How long {@code R-SOAK-1} lasts, and who hears of it. From half a minute on the store's speed is
 * measured, too: at the beginning and at the end.
 *
 * @param lasts the time under load
 * @param progress told now and then how far it is
 * @param findings told at the end what was seen, a sentence each
 */
public record Soak(Duration lasts, Consumer<String> progress, Consumer<String> findings) {
  private static final Duration LONG = Duration.ofSeconds(30);

  /** {@return a moment in a normal build; two minutes with {@code -Dkvasir.soak=true}} */
  public static Soak ofThisBuild() {
    boolean soak = Boolean.getBoolean("kvasir.soak");
    Consumer<String> out = soak ? System.out::println : line -> {};
    return new Soak(Duration.ofSeconds(soak ? 120 : 2), out, out);
  }

  /** {@return whether it is long enough to say how speed changed} */
  boolean measured() {
    return lasts.compareTo(LONG) >= 0;
  }
}

package io.kvasir.benchmarks.common;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChainsTest {
  @ParameterizedTest
  @ValueSource(ints = {16, 64, 256})
  void blocksHaveTheSizeWhateverTheirTokens(int tokens) {
    Chains chains = new Chains(2 << 20, tokens);
    assertEquals(2 << 20, chains.manifest().payloadBytes(0));
    assertEquals(5, chains.keys(chains.tokens(3, 5)).count());
  }

  @Test
  void promptsOfOneNumberAreEqualAndThoseOfAnotherShareNothing() {
    Chains chains = new Chains(4096);
    assertArrayEquals(chains.prompt(1, 4).hash(3), new Chains(4096).prompt(1, 8).hash(3));
    for (int i = 0; i < 4; i++) {
      assertFalse(Arrays.equals(chains.prompt(1, 4).hash(i), chains.prompt(2, 4).hash(i)));
    }
  }

  @Test
  void sizesThatNoLayerHasAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> new Chains(5000));
    assertThrows(IllegalArgumentException.class, () -> new Chains(0));
  }
}

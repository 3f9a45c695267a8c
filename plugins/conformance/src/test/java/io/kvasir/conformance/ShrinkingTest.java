package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.conformance.RegisterHistory.Kind;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What the model's rules rest on: the shrinker and the check of histories. */
class ShrinkingTest {
  @Test
  void whatIsNotNeededToFailIsLeftOut() {
    List<Integer> all = IntStream.range(0, 60).boxed().toList();
    int[] asked = {0};
    List<Integer> few =
        Shrinking.smallest(
            all,
            part -> {
              asked[0]++;
              return part.indexOf(41) > part.indexOf(7) && part.contains(7) && part.contains(12);
            },
            150);
    assertEquals(List.of(7, 12, 41), few);
    assertTrue(asked[0] <= 150, "asked " + asked[0] + " times");
  }

  @Test
  void shrinkingEndsWhenItsAttemptsAreOver() {
    List<Integer> all = IntStream.range(0, 60).boxed().toList();
    int[] asked = {0};
    List<Integer> some = Shrinking.smallest(all, part -> asked[0]++ < 9 && part.contains(59), 3);
    assertTrue(some.contains(59));
    assertEquals(3, asked[0]);
  }

  @Test
  void firstOfTwoWritersWins() {
    RegisterHistory history = new RegisterHistory();
    long one = history.now();
    long two = history.now();
    history.add(Kind.SAVE, 2, two);
    history.add(Kind.SAVE, 1, one);
    history.add(Kind.LOAD, 1, history.now());
    assertTrue(history.linearizable(), history.toString()); // both ran at once
    history.add(Kind.LOAD, 2, history.now());
    assertFalse(history.linearizable(), history.toString());
  }

  @Test
  void blockThatIsThereIsNotSavedOver() {
    RegisterHistory history = new RegisterHistory();
    history.add(Kind.SAVE, 1, history.now());
    history.add(Kind.SAVE, 2, history.now());
    history.add(Kind.LOAD, 2, history.now());
    assertFalse(history.linearizable(), history.toString());
  }

  @Test
  void blockThatWasAcknowledgedCannotBeMissing() {
    RegisterHistory history = new RegisterHistory();
    history.add(Kind.SAVE, 1, history.now());
    long load = history.now();
    history.add(Kind.LOAD, RegisterHistory.ABSENT, load);
    assertFalse(history.linearizable(), history.toString());
  }

  @Test
  void loadBesideARemovalFindsTheBlockOrNothing() {
    RegisterHistory history = new RegisterHistory();
    history.add(Kind.SAVE, 1, history.now());
    long remove = history.now();
    history.add(Kind.LOAD, RegisterHistory.ABSENT, history.now());
    long late = history.now();
    history.add(Kind.REMOVE, RegisterHistory.ABSENT, remove);
    assertTrue(history.linearizable(), history.toString());
    history.add(Kind.LOAD, 1, late);
    assertFalse(history.linearizable(), history.toString());
  }
}

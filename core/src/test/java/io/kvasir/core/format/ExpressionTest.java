package io.kvasir.core.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpressionTest {
  private final Fields config =
      new Fields(
          "config.json: ",
          Models.json(
              "{\"heads\":8,\"width\":500,\"on\":true,\"off\":false,\"text\":\"x\",\"zero\":0,"
                  + "\"inner\":{\"n\":3},\"none\":null}"));

  private Object value(String expression) {
    return Expression.value(expression, config, "head_dim");
  }

  @ParameterizedTest
  @CsvSource({
    "2 + 3 * 4, 14",
    "(2 + 3) * 4, 20",
    "10 - 3 - 2, 5",
    "7 // 2, 3",
    "7 % 4, 3",
    "heads * inner.n, 24",
    "2 < 2 ? 1 : 0, 0",
    "1 + 1 < 3 ? 1 : 0, 1",
    "none ?: 5, 5",
    "absent ?: none ?: 6, 6",
    "heads ?: text, 8",
    "on ? 1 : text, 1",
    "off ? text : 2, 2",
    "zero ? 1 : 2, 2",
    "none ? 1 : 2, 2",
    "inner.absent ? 1 : on ? 3 : 4, 3"
  })
  void expressionHasItsValue(String expression, long right) {
    assertEquals(right, value(expression));
  }

  @Test
  void wordIsAValueAndAnAbsentFieldIsNone() {
    assertEquals("full", value("heads < 9 ? 'full' : 'sliding'"));
    assertNull(value("absent"));
    assertEquals("heads", Expression.target("2 * (heads + inner.n)"));
  }

  @ParameterizedTest
  @CsvSource({
    "heads + absent, absent: missing; give a whole number",
    "absent * heads, absent: missing; give a whole number",
    "text + 1, text: \"x\" is not a whole number",
    "heads < on ? 1 : 2, on: true is not a whole number",
    "on + 1, on: true is not a whole number",
    "width / heads, 'head_dim: is 500 / 8 in this class, no whole number; give it'",
    "heads // zero, zero: 0 is not a whole number above 0",
    "heads % zero, zero: 0 is not a whole number above 0",
    "absent, head_dim: absent is not given; give a whole number",
    "9007199254740991 * 9007199254740991, 'head_dim: 9007199254740991 * 9007199254740991 is out of"
        + " range'"
  })
  void whatHasNoValueIsRefusedByTheFieldToGive(String expression, String why) {
    Models.assertRefused(
        "config.json: " + why, () -> Expression.number(expression, config, "head_dim"));
  }

  /** A field beside the point may say anything: who does not slide has no window to get right. */
  @Test
  void fieldThatIsNotNeededIsNotAsked() {
    Fields other = new Fields("", Map.of("on", true, "text", "x", "off", false));
    assertEquals(1L, Expression.value("on ? 1 : text + 1", other, "t"));
    assertEquals(2L, Expression.value("off ? text * absent : 2", other, "t"));
  }
}

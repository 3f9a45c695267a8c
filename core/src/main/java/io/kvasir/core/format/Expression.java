package io.kvasir.core.format;

import io.kvasir.api.format.FormatException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * A size as the tables write it: whole numbers, names of fields (with dots into objects), {@code +
 * - * /} where a quotient must be whole, {@code //} which rounds down, parentheses, {@code a ?: b}
 * for a field that may be absent or null, and {@code a ? b : c}, where true and every number but 0
 * hold.
 */
final class Expression {
  private final Fields config;
  private final String target;
  private final Deque<String> rest;
  private String absent;

  private Expression(String text, Fields config, String target) {
    this.config = config;
    this.target = target;
    this.rest = new ArrayDeque<>(tokens(text));
  }

  /**
   * {@return the value; null if it is that of an absent field}
   *
   * @param target the field that it is for, which the error says how to give
   */
  static Long value(String text, Fields config, String target) {
    Expression expression = new Expression(text, config, target);
    try {
      return expression.choice(true);
    } catch (ArithmeticException e) {
      throw new FormatException("%s: %s is out of range".formatted(config.at(target), text), e);
    }
  }

  /**
   * {@return the value}
   *
   * @throws FormatException that names the field, if it is absent
   */
  static long number(String text, Fields config, String target) {
    Long value = value(text, config, target);
    if (value == null) {
      throw config.error(target, text + " is not given; give a whole number");
    }
    return value;
  }

  /** {@return the names of fields in an expression, in their order} */
  static List<String> names(String text) {
    return tokens(text).stream().filter(t -> Character.isJavaIdentifierStart(t.charAt(0))).toList();
  }

  private static List<String> tokens(String text) {
    List<String> out = new ArrayList<>();
    for (String word : text.replace("(", "( ").replace(")", " )").split(" ", -1)) {
      out.addAll(word.isEmpty() ? List.of() : Arrays.asList(word));
    }
    return out;
  }

  private boolean take(String token) {
    return token.equals(rest.peek()) && rest.pop() != null;
  }

  /** What is not needed is read and not asked for: a field may be absent there. */
  private Long choice(boolean needed) {
    Long first = sum(needed);
    if (take("?:")) {
      Long second = choice(needed && first == null);
      return first == null ? second : first;
    }
    if (take("?")) {
      boolean holds = first != null && first != 0;
      Long yes = choice(needed && holds);
      rest.pop();
      Long no = choice(needed && !holds);
      return holds ? yes : no;
    }
    return first;
  }

  private Long sum(boolean needed) {
    Long left = product(needed);
    while (List.of("+", "-").contains(String.valueOf(rest.peek()))) {
      String operator = rest.pop();
      Long right = product(needed);
      if (needed && present(left, right)) {
        left = operator.equals("+") ? Math.addExact(left, right) : Math.subtractExact(left, right);
      }
    }
    return left;
  }

  private Long product(boolean needed) {
    Long left = atom(needed);
    while (List.of("*", "/", "//").contains(String.valueOf(rest.peek()))) {
      String operator = rest.pop();
      Long right = atom(needed);
      if (needed && present(left, right)) {
        left =
            operator.equals("*")
                ? Math.multiplyExact(left, right)
                : quotient(left, right, operator);
      }
    }
    return left;
  }

  private Long quotient(long left, long right, String operator) {
    if (right == 0 || (operator.equals("/") && left % right != 0)) {
      throw config.error(
          target, "is %d / %d in this class, no whole number; give it".formatted(left, right));
    }
    return left / right;
  }

  private Long atom(boolean needed) {
    String token = rest.pop();
    if (token.equals("(")) {
      Long inside = choice(needed);
      rest.pop();
      return inside;
    }
    if (Character.isDigit(token.charAt(0))) {
      return Long.valueOf(token);
    }
    return needed ? field(token) : null;
  }

  private Long field(String name) {
    Object value = config.path(name);
    String next = String.valueOf(rest.peek());
    if (value instanceof Boolean b && next.equals("?")) {
      return b ? 1L : 0;
    }
    if (value == null) {
      absent = name;
      return null;
    }
    return config.whole(name, value);
  }

  private boolean present(Long left, Long right) {
    if (left == null || right == null) {
      throw config.error(absent, "missing; give a whole number");
    }
    return true;
  }
}

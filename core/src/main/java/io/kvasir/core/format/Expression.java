package io.kvasir.core.format;

import io.kvasir.api.format.FormatException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A size or a kind of layer as the tables write it: whole numbers, {@code 'words'}, names of fields
 * (with dots into objects), {@code < + - * / %} where a quotient must be whole, {@code //} which
 * rounds down, parentheses, {@code a ?: b} for a field that may be absent or null, and {@code a ? b
 * : c}, where true and every number but 0 hold.
 */
final class Expression {
  private static final List<List<String>> OPERATORS =
      List.of(List.of("<"), List.of("+", "-"), List.of("*", "/", "//", "%"));
  private static final Map<String, List<String>> TOKENS = new ConcurrentHashMap<>();

  private final Fields config;
  private final String target;
  private final Deque<String> rest;
  private String last;

  private Expression(String text, Fields config, String target) {
    this.config = config;
    this.target = target;
    this.rest = new ArrayDeque<>(tokens(text));
  }

  /**
   * {@return the value, a {@link Long} or a text; null if it is that of an absent field}
   *
   * @param target the field that it is for, which the error says how to give
   */
  static Object value(String text, Fields config, String target) {
    try {
      return new Expression(text, config, target).choice(true);
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
    if (value(text, config, target) instanceof Long value) {
      return value;
    }
    throw config.error(target, text + " is not given; give a whole number");
  }

  /** {@return the first field in an expression, which an error of the whole names} */
  static String target(String text) {
    return tokens(text).stream()
        .filter(t -> Character.isJavaIdentifierStart(t.charAt(0)))
        .findFirst()
        .orElse("layer_types");
  }

  private static List<String> tokens(String text) {
    return TOKENS.computeIfAbsent(
        text, t -> List.of(t.replace("(", "( ").replace(")", " )").split(" ", -1)));
  }

  private boolean take(String token) {
    return token.equals(rest.peek()) && rest.pop() != null;
  }

  /** What is not needed is read and not asked for: a field may be absent there. */
  private Object choice(boolean needed) {
    Object first = binary(0, needed);
    if (take("?:")) {
      Object second = choice(needed && first == null);
      return first == null ? second : first;
    }
    if (take("?")) {
      boolean holds = first != null && !first.equals(0L) && !first.equals(false);
      Object yes = choice(needed && holds);
      rest.pop();
      Object no = choice(needed && !holds);
      return holds ? yes : no;
    }
    return first;
  }

  private Object binary(int level, boolean needed) {
    if (level == OPERATORS.size()) {
      return atom(needed);
    }
    Object left = binary(level + 1, needed);
    while (!rest.isEmpty() && OPERATORS.get(level).contains(rest.peek())) {
      String operator = rest.pop();
      long first = needed ? number(left) : 0;
      Object second = binary(level + 1, needed);
      left = needed ? apply(operator, first, number(second)) : null;
    }
    return left;
  }

  private Long apply(String operator, long left, long right) {
    return switch (operator) {
      case "<" -> left < right ? 1L : 0L;
      case "+" -> Math.addExact(left, right);
      case "-" -> Math.subtractExact(left, right);
      case "*" -> Math.multiplyExact(left, right);
      default -> {
        if (right < 1) {
          throw config.error(last, right + " is not a whole number above 0");
        }
        if (operator.equals("/") && left % right != 0) {
          throw config.error(
              target, "is %d / %d in this class, no whole number; give it", left, right);
        }
        yield operator.equals("%") ? left % right : left / right;
      }
    };
  }

  private long number(Object value) {
    return value instanceof Long number ? number : config.whole(last, value);
  }

  private Object atom(boolean needed) {
    String token = rest.pop();
    if (token.equals("(")) {
      Object inside = choice(needed);
      rest.pop();
      return inside;
    }
    if (token.startsWith("'")) {
      return token.substring(1, token.length() - 1);
    }
    if (Character.isDigit(token.charAt(0))) {
      return Long.valueOf(token);
    }
    last = token;
    Object value = needed ? config.path(token) : null;
    return value == null || value instanceof Boolean ? value : (Object) config.whole(token, value);
  }
}

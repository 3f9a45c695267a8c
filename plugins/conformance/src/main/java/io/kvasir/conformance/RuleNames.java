package io.kvasir.conformance;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.DisplayNameGenerator;

/** Names a test by its rule and its sentence: {@code R-STATUS-1: absent block loads as miss}. */
public final class RuleNames extends DisplayNameGenerator.Standard {
  /** For JUnit. */
  public RuleNames() {}

  @Override
  public String generateDisplayNameForMethod(
      List<Class<?>> enclosing, Class<?> testClass, Method method) {
    Rule rule = method.getAnnotation(Rule.class);
    String sentence = sentence(method.getName());
    return rule == null ? sentence : rule.value() + ": " + sentence;
  }

  private static String sentence(String name) {
    return name.replaceAll("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ")
        .toLowerCase(Locale.ROOT);
  }
}

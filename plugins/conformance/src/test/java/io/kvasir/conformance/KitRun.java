package io.kvasir.conformance;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs rules of a contract of the kit, and tells which of them something fails. */
public final class KitRun {
  private KitRun() {}

  /** {@return the test of each rule of a contract, by the rule's number} */
  public static Map<String, Method> rules(Class<?> contract) {
    Map<String, Method> out = new TreeMap<>();
    Stream.concat(
            Arrays.stream(contract.getMethods()), Arrays.stream(contract.getDeclaredMethods()))
        .distinct()
        .filter(method -> method.isAnnotationPresent(Rule.class))
        .forEach(
            method -> {
              String rule = method.getAnnotation(Rule.class).value();
              if (out.put(rule, method) != null) {
                throw new AssertionError("two tests of " + rule);
              }
            });
    return out;
  }

  /** {@return the rules that failed, of those of a contract that are asked for, and how} */
  public static Map<String, Throwable> failures(
      Class<?> test, Class<?> contract, Collection<String> rules) {
    List<? extends DiscoverySelector> selectors =
        rules.stream().map(r -> selectMethod(test, rules(contract).get(r).getName())).toList();
    Map<String, Throwable> failed = new TreeMap<>();
    TestExecutionListener listener =
        new TestExecutionListener() {
          @Override
          public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (result.getStatus() == TestExecutionResult.Status.FAILED) {
              failed.put(rule(test), result.getThrowable().orElseThrow());
            }
          }
        };
    LauncherFactory.create()
        .execute(LauncherDiscoveryRequestBuilder.request().selectors(selectors).build(), listener);
    return failed;
  }

  /** {@return the rules that failed, of all rules of a contract} */
  public static Set<String> failing(Class<?> test, Class<?> contract) {
    return failures(test, contract, rules(contract).keySet()).keySet();
  }

  private static String rule(TestIdentifier test) {
    return test.getSource()
        .filter(MethodSource.class::isInstance)
        .map(source -> ((MethodSource) source).getJavaMethod().getAnnotation(Rule.class))
        .map(Rule::value)
        .orElse(test.getDisplayName());
  }
}

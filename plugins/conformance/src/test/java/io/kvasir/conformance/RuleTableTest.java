package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The table of the rules in the package's text is the rules that the contracts have. */
class RuleTableTest {
  private static final Pattern ROW = Pattern.compile("<tr><td>(R-[^<]+)</td><td>([^<]+)</td></tr>");

  @Test
  void tableNamesEachRuleAndSaysItsSentence() throws IOException {
    Map<String, String> rules = new TreeMap<>();
    for (Class<?> contract :
        List.of(
            StoreContract.class,
            TransferPathContract.class,
            IdentityPolicyContract.class,
            ConnectorContract.class)) {
      Map<String, Method> methods = new LinkedHashMap<>();
      for (Method method : contract.getMethods()) {
        methods.put(method.getName(), method);
      }
      for (Method method : contract.getDeclaredMethods()) {
        methods.put(method.getName(), method);
      }
      for (Method method : methods.values()) {
        Rule rule = method.getAnnotation(Rule.class);
        if (rule != null) {
          String name = new RuleNames().generateDisplayNameForMethod(List.of(), contract, method);
          rules.put(rule.value(), name.substring(rule.value().length() + 2));
        }
      }
    }
    String text =
        Files.readString(Path.of("src/main/java/io/kvasir/conformance/package-info.java"))
            .replaceAll("\\n \\*\\s+", " ");
    Map<String, String> table = new TreeMap<>();
    Matcher row = ROW.matcher(text);
    while (row.find()) {
      table.put(row.group(1), row.group(2));
    }
    assertEquals(rules, table);
  }
}

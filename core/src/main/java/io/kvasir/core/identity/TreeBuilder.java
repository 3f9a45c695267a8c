package io.kvasir.core.identity;

import io.kvasir.api.identity.CanonicalJson;
import io.kvasir.api.identity.IdentityException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Builds the tree of one document from the tokens of a parser. */
final class TreeBuilder {
  private final String source;
  private final JsonParser parser;
  private final boolean nonFiniteAsText;

  TreeBuilder(String source, JsonParser parser, boolean nonFiniteAsText) {
    this.source = source;
    this.parser = parser;
    this.nonFiniteAsText = nonFiniteAsText;
  }

  Object document() {
    JsonToken first = parser.nextToken();
    if (first == null) {
      throw new IdentityException(source + ": empty");
    }
    Object value = value("", first);
    if (parser.nextToken() != null) {
      throw new IdentityException(
          source + ": more than one value; line " + parser.currentLocation().getLineNr());
    }
    return value;
  }

  private Object value(String path, JsonToken token) {
    return switch (token) {
      case START_OBJECT -> object(path);
      case START_ARRAY -> array(path);
      case VALUE_STRING -> text(path, parser.getString());
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(path, parser.getString());
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> throw wrong(path, "unexpected " + token);
    };
  }

  private Map<String, Object> object(String path) {
    Map<String, Object> out = new LinkedHashMap<>();
    for (JsonToken t = parser.nextToken(); t != JsonToken.END_OBJECT; t = parser.nextToken()) {
      String name = text(path, parser.getString());
      String at = path.isEmpty() ? name : path + "." + name;
      if (out.containsKey(name)) {
        throw wrong(at, "the name stands twice");
      }
      out.put(name, value(at, parser.nextToken()));
    }
    return out;
  }

  private List<Object> array(String path) {
    List<Object> out = new ArrayList<>();
    for (JsonToken t = parser.nextToken(); t != JsonToken.END_ARRAY; t = parser.nextToken()) {
      out.add(value(path + "[" + out.size() + "]", t));
    }
    return out;
  }

  private Object number(String path, String text) {
    String literal = text.startsWith("+") ? text.substring(1) : text;
    if (literal.equals("INF") || literal.equals("-INF")) {
      throw wrong(path, text + " is not a JSON number");
    }
    if (literal.equals("NaN") || literal.endsWith("Infinity")) {
      if (nonFiniteAsText) {
        return literal;
      }
      throw wrong(path, text + " is not a JSON number; write null, or the string \"" + text + "\"");
    }
    BigDecimal value;
    try {
      value = new BigDecimal(text);
      CanonicalJson.text(value);
    } catch (NumberFormatException | IdentityException e) { // the former: a huge exponent
      if (nonFiniteAsText && text.contains("e") && Double.isFinite(Double.parseDouble(text))) {
        return new BigDecimal(text).stripTrailingZeros().toString(); // as 1e308 for no limit
      }
      throw wrong(
          path,
          cut(text, 40)
              + " is out of range; a number is a binary64, and an integer within ±(2^53-1)");
    }
    boolean integer = text.indexOf('.') < 0 && text.indexOf('e') < 0 && text.indexOf('E') < 0;
    return integer ? (Object) value.longValueExact() : value;
  }

  private String text(String path, String text) {
    try {
      CanonicalJson.text(text);
      return text;
    } catch (IdentityException e) {
      throw wrong(path, e.getMessage());
    }
  }

  private IdentityException wrong(String path, String message) {
    return new IdentityException(
        source + ": " + (path.isEmpty() ? "" : cut(path, 200) + ": ") + message);
  }

  /**
   * {@return a text of at most that length: a message stays a line, whatever the document holds}
   */
  static String cut(String text, int length) {
    return text.length() > length ? text.substring(0, length) + "…" : text;
  }
}

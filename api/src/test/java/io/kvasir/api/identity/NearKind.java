package io.kvasir.api.identity;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Ways in which two values are near each other and mean something else. */
enum NearKind {
  /** The boundary between two neighbouring texts moved. */
  BOUNDARY {
    @Override
    void put(Map<String, Object> l, Map<String, Object> r, String text) {
      l.put("acme.a", List.of(text + "x", "y"));
      r.put("acme.a", List.of(text, "xy"));
    }
  },
  /** The boundary between a name and its value moved. */
  NAME_BOUNDARY {
    @Override
    void put(Map<String, Object> l, Map<String, Object> r, String text) {
      l.put("acme.ab", text);
      r.put("acme.a", "b" + text);
    }
  },
  /** Empty against null. */
  EMPTY_OR_NULL {
    @Override
    void put(Map<String, Object> l, Map<String, Object> r, String text) {
      l.put("acme.a", "");
      r.put("acme.a", null);
    }
  },
  /** Empty against absent. */
  EMPTY_OR_ABSENT {
    @Override
    void put(Map<String, Object> l, Map<String, Object> r, String text) {
      l.put("acme.a", List.of(""));
      r.put("acme.a", List.of());
    }
  },
  /** A number against its text. */
  NUMBER_OR_TEXT {
    @Override
    void put(Map<String, Object> l, Map<String, Object> r, String text) {
      l.put("acme.a", text.length());
      r.put("acme.a", Integer.toString(text.length()));
    }
  },
  /** A word against its text. */
  WORD_OR_TEXT {
    @Override
    void put(Map<String, Object> l, Map<String, Object> r, String text) {
      l.put("acme.a", true);
      r.put("acme.a", "true");
    }
  },
  /** The order of a list. */
  ORDER {
    @Override
    void put(Map<String, Object> l, Map<String, Object> r, String text) {
      l.put("acme.a", List.of(text, text + "x"));
      r.put("acme.a", List.of(text + "x", text));
    }
  },
  /** The nesting of lists. */
  NESTING {
    @Override
    void put(Map<String, Object> l, Map<String, Object> r, String text) {
      l.put("acme.a", List.of(List.of(text), "z"));
      r.put("acme.a", List.of(text, List.of("z")));
    }
  },
  /** Composed against decomposed letters. */
  NFC_OR_NFD {
    @Override
    void put(Map<String, Object> l, Map<String, Object> r, String text) {
      l.put("acme.a", text + "\u00fc");
      r.put("acme.a", text + "u\u0308");
    }
  },
  /** Letters that look alike. */
  LOOK_ALIKE {
    @Override
    void put(Map<String, Object> l, Map<String, Object> r, String text) {
      l.put("acme.a", text + "A\uFF21");
      r.put("acme.a", text + "\uFF21A");
    }
  },
  /** A quotation mark that imitates the end of a text. */
  IMITATED_DELIMITER {
    @Override
    void put(Map<String, Object> l, Map<String, Object> r, String text) {
      l.put("acme.a", List.of(text + "\",\"" + text));
      r.put("acme.a", List.of(text, text));
    }
  },
  /** Numbers that differ in the last digit that a double has. */
  LAST_DIGIT {
    @Override
    void put(Map<String, Object> l, Map<String, Object> r, String text) {
      double value = 1.0 / (3 + text.length());
      l.put("acme.a", value);
      r.put("acme.a", Math.nextUp(value));
    }
  };

  abstract void put(Map<String, Object> left, Map<String, Object> right, String text);

  /** Two trees that mean different things. */
  record Pair(Map<String, Object> left, Map<String, Object> right) {}

  Pair pair(String text) {
    Pair pair = new Pair(new LinkedHashMap<>(), new LinkedHashMap<>());
    put(pair.left, pair.right, text);
    return pair;
  }
}

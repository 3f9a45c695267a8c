package io.kvasir.plugin.local;

import io.kvasir.api.identity.NamespaceId;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;

/**
 * What is known of a namespace and is not identity. A damaged one costs nothing but these words.
 */
record NamespaceRecord(
    Instant created,
    Instant lastUsed,
    Optional<NamespaceId> supersededBy,
    Map<String, String> labels) {
  private static final String LABEL = "label.";

  static NamespaceRecord fresh() {
    Instant now = Instant.now();
    return new NamespaceRecord(now, now, Optional.empty(), Map.of());
  }

  NamespaceRecord opened(Map<String, String> newLabels) {
    return new NamespaceRecord(
        created, Instant.now(), supersededBy, newLabels.isEmpty() ? labels : newLabels);
  }

  NamespaceRecord usedNow() {
    return new NamespaceRecord(created, Instant.now(), supersededBy, labels);
  }

  NamespaceRecord supersededBy(NamespaceId next) {
    return new NamespaceRecord(created, lastUsed, Optional.of(next), labels);
  }

  byte[] bytes() throws IOException {
    Properties properties = new Properties();
    properties.setProperty("created", created.toString());
    properties.setProperty("lastUsed", lastUsed.toString());
    supersededBy.ifPresent(id -> properties.setProperty("supersededBy", id.hex()));
    labels.forEach((name, value) -> properties.setProperty(LABEL + name, value));
    StringWriter text = new StringWriter();
    properties.store(text, null);
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  static NamespaceRecord parse(byte[] bytes) throws IOException {
    Properties properties = new Properties();
    try {
      properties.load(new StringReader(new String(bytes, StandardCharsets.UTF_8)));
      Map<String, String> labels = new TreeMap<>();
      for (String name : properties.stringPropertyNames()) {
        if (name.startsWith(LABEL)) {
          labels.put(name.substring(LABEL.length()), properties.getProperty(name));
        }
      }
      return new NamespaceRecord(
          Instant.parse(properties.getProperty("created", "")),
          Instant.parse(properties.getProperty("lastUsed", "")),
          Optional.ofNullable(properties.getProperty("supersededBy")).map(NamespaceId::parse),
          labels);
    } catch (RuntimeException e) {
      return fresh();
    }
  }
}

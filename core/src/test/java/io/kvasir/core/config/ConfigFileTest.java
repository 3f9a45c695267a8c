package io.kvasir.core.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvasir.api.KvasirException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ConfigFileTest {
  private static final Path FILE = Path.of("conf/kvasir.json");

  @Test
  void aFileThatIsNotThereIsNamed() {
    assertEquals(
        "conf/none.json: there is no such file",
        assertThrows(KvasirException.class, () -> ConfigFile.read(Path.of("conf/none.json")))
            .getMessage());
  }

  @Test
  void aNameThatStandsTwiceIsRefused() {
    refused(
        "{\"tenant\":\"a\",\n\"tenant\":\"b\"}",
        "conf/kvasir.json: line 2, column 9: Duplicate Object property \"tenant\"; the file is one"
            + " JSON object");
  }

  @Test
  void whatFollowsTheObjectIsRefused() {
    assertEquals(
        "conf/kvasir.json: line 2, column 1: Trailing",
        assertThrows(KvasirException.class, () -> parse("{}\n{}")).getMessage().substring(0, 44));
  }

  @Test
  void whatIsNoObjectIsRefused() {
    refused("[]", "conf/kvasir.json: a list is not an object; write { … }");
  }

  @Test
  void anObjectThatDoesNotEndIsRefusedWithItsPlace() {
    refused(
        "{\n \"store\": {\"a\": 1\n",
        "conf/kvasir.json: line 3, column 1: Unexpected end-of-input: expected close marker for"
            + " Object; the file is one JSON object");
  }

  @Test
  void anEmptyFileIsRefused() {
    assertThrows(KvasirException.class, () -> parse(""));
  }

  private static void refused(String json, String message) {
    assertEquals(message, assertThrows(KvasirException.class, () -> parse(json)).getMessage());
  }

  private static Section parse(String json) {
    return ConfigFile.parse(FILE, json.getBytes(StandardCharsets.UTF_8));
  }
}

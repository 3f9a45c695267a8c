package io.kvasir.core.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvasir.api.ByteSize;
import io.kvasir.api.KvasirException;
import io.kvasir.api.store.Setting;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecordBinderTest {
  private static final Path FILE = Path.of("conf/kvasir.json");

  enum Fit {
    BEST_FIT,
    FIRST
  }

  record Inner(int depth) {}

  record Every(
      String name,
      int slots,
      long bytes,
      double share,
      boolean fsync,
      Path directory,
      Duration maxWait,
      ByteSize capacity,
      Fit fit,
      Optional<Path> spare,
      List<String> peers,
      Map<String, Integer> weights,
      Inner inner,
      List<Inner> more) {}

  record Defaults(
      @Setting(value = "how long a save may wait", byDefault = "2s") Duration maxWait,
      @Setting(value = "room", byDefault = "10GiB") ByteSize capacity,
      @Setting(value = "threads", byDefault = "4") int threads,
      @Setting(value = "a share", byDefault = "0.25") double share,
      @Setting(value = "sync", byDefault = "true") boolean sync,
      @Setting(value = "where", byDefault = "blocks") Path directory,
      @Setting(value = "fit", byDefault = "best-fit") Fit fit,
      @Setting(value = "peers", byDefault = "[]") List<String> peers,
      @Setting(value = "inner", byDefault = "{\"depth\":3}") Inner inner,
      Optional<String> note) {}

  record Small(@Setting("where the blocks lie") Path directory, ByteSize capacity, int slots) {}

  record Checked(int slots) {
    Checked {
      if (slots < 1) {
        throw new IllegalArgumentException("slots: " + slots + " is none; write 1 or more");
      }
    }
  }

  record Odd(StringBuilder what) {}

  @Test
  void everyTypeIsRead() {
    Every every =
        bind(
            """
            {"name":"x","slots":3,"bytes":3000000000,"share":0.5,"fsync":true,
             "directory":"../blocks","max-wait":"500ms","capacity":"10GiB","fit":"best-fit",
             "spare":"/tmp/spare","peers":["a","b"],"weights":{"a":1},"inner":{"depth":2},
             "more":[{"depth":1}]}
            """,
            Every.class);
    Path here = Path.of("").toAbsolutePath();
    assertEquals(
        new Every(
            "x",
            3,
            3_000_000_000L,
            0.5,
            true,
            here.resolve("blocks"),
            Duration.ofMillis(500),
            new ByteSize(10L << 30),
            Fit.BEST_FIT,
            Optional.of(Path.of("/tmp/spare")),
            List.of("a", "b"),
            Map.of("a", 1),
            new Inner(2),
            List.of(new Inner(1))),
        every);
  }

  @Test
  void whatTheFileDoesNotGiveTakesItsDefault() {
    assertEquals(
        new Defaults(
            Duration.ofSeconds(2),
            new ByteSize(10L << 30),
            4,
            0.25,
            true,
            Path.of("conf/blocks").toAbsolutePath(),
            Fit.BEST_FIT,
            List.of(),
            new Inner(3),
            Optional.empty()),
        bind("{}", Defaults.class));
  }

  @ParameterizedTest
  @CsvSource({
    "maxWait, max-wait",
    "directory, directory",
    "ioURLPrefix, io-url-prefix",
    "http2Port, http2-port",
    "a, a"
  })
  void aKeyIsTheNameInKebabCase(String name, String key) {
    assertEquals(key, RecordBinder.key(name));
  }

  @Test
  void anUnknownKeyNamesTheNearestKnownOne() {
    refused(
        "{\"directory\":\"x\",\"capcity\":1,\"slots\":1}",
        Small.class,
        "conf/kvasir.json: store.local.capcity: unknown key; did you mean \"capacity\"?");
  }

  @Test
  void anUnknownKeyThatIsNearNoneListsTheKnownOnes() {
    refused(
        "{\"directory\":\"x\",\"capacity\":1,\"slots\":1,\"colour\":1}",
        Small.class,
        "conf/kvasir.json: store.local.colour: unknown key; known are directory, capacity, slots");
  }

  @Test
  void aMissingKeySaysWhatItMeansAndWhatToWrite() {
    refused(
        "{\"capacity\":1,\"slots\":1}",
        Small.class,
        "conf/kvasir.json: store.local.directory: missing; write a path in quotes: where the"
            + " blocks lie");
  }

  @Test
  void theErrorNamesTheKeyTheValueAndTheWayOut() {
    refused(
        "{\"directory\":\"x\",\"capacity\":\"ten\",\"slots\":1}",
        Small.class,
        "conf/kvasir.json: store.local.capacity: \"ten\" is not a size; write a number of bytes or"
            + " 10GiB");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "name | 1 | name: 1 is not a text; write a text in quotes",
        "slots | \"3\" | slots: \"3\" is not a whole number; write a whole number such as 16",
        "slots | 1.5 | slots: 1.5 is not a whole number; write a whole number such as 16",
        "slots | 3000000000 | slots: 3000000000 is out of range; write a number from -2147483648 to"
            + " 2147483647",
        "slots | null | slots: null is not a whole number; write a whole number such as 16",
        "share | \"half\" | share: \"half\" is not a number; write a number such as 0.5",
        "share | 1e999 | share: 1E+999 is not a number; write a number such as 0.5",
        "fsync | \"yes\" | fsync: \"yes\" is neither true nor false; write true or false, without"
            + " quotes",
        "directory | 7 | directory: 7 is not a path; write a path in quotes",
        "directory | \"\" | directory: \"\" is not a path; write a path in quotes",
        "max-wait | 2 | max-wait: 2 is not a duration; write 500ms, 2s or 1m",
        "max-wait | \"soon\" | max-wait: \"soon\" is not a duration; write 500ms, 2s or 1m",
        "capacity | -1 | capacity: -1 is not a size; write a number of bytes or 10GiB",
        "fit | \"BEST_FIT\" | fit: \"BEST_FIT\" is none of the choices; write one of best-fit,"
            + " first",
        "peers | \"a\" | peers: \"a\" is not a list; write [ … ]",
        "peers | [1] | peers[0]: 1 is not a text; write a text in quotes",
        "weights | [] | weights: a list is not an object; write { … }",
        "weights | {\"a\":true} | weights.a: true is not a whole number; write a whole number such"
            + " as 16",
        "inner | 1 | inner: 1 is not an object; write { … }",
        "inner | {\"dept\":1} | inner.dept: unknown key; did you mean \"depth\"?",
        "more | [{\"depth\":1},{}] | more[1].depth: missing; write a whole number such as 16",
      })
  void aWrongValueIsRefused(String key, String value, String message) {
    String all =
        """
        {"name":"x","slots":3,"bytes":3,"share":0.5,"fsync":true,"directory":"d","max-wait":"2s",\
        "capacity":1,"fit":"first","peers":[],"weights":{},"inner":{"depth":2},"more":[]}\
        """;
    String wrong =
        all.replaceFirst(
            "\"" + key + "\":(\\{[^}]*}|\\[[^]]*]|[^,}]*)",
            java.util.regex.Matcher.quoteReplacement("\"" + key + "\":" + value));
    refused(wrong, Every.class, "conf/kvasir.json: store.local." + message);
  }

  @Test
  void whatTheRecordRefusesIsAnErrorAtItsObject() {
    refused(
        "{\"slots\":0}",
        Checked.class,
        "conf/kvasir.json: store.local: slots: 0 is none; write 1 or more");
  }

  @Test
  void aComponentThatNobodyCanConfigureIsNamed() {
    refused(
        "{\"what\":1}",
        Odd.class,
        Odd.class.getName() + ".what: a java.lang.StringBuilder cannot be configured");
  }

  private static <R extends Record> void refused(String json, Class<R> type, String message) {
    assertEquals(message, assertThrows(KvasirException.class, () -> bind(json, type)).getMessage());
  }

  private static <R extends Record> R bind(String json, Class<R> type) {
    String file = "{\"store\":{\"local\":" + json + "}}";
    ConfigValue value =
        ConfigFile.parse(FILE, file.getBytes(StandardCharsets.UTF_8))
            .require("store", "")
            .section()
            .require("local", "");
    return new RecordBinder().bind(value, type);
  }
}

package io.kvasir.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.it.Installed.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** {@code kvasir verify}: the kit as an operator's command. */
class VerifyIT {
  @TempDir Path temp;
  private Installed installed;

  @BeforeEach
  void installed() {
    installed = new Installed(temp);
  }

  /** {@return the zip of a plugin, as its author's build leaves it} */
  private Path zip(String plugin) throws Exception {
    Path zip = temp.resolve(plugin + ".zip");
    Path folder = Installed.HOME.resolve("plugins/" + plugin);
    String jar = Installed.JAVA_HOME.resolve("bin/jar").toString();
    installed
        .run(
            Map.of(),
            List.of(
                jar, "--create", "--no-manifest", "--file", zip.toString(), "-C", "" + folder, "."))
        .good();
    return zip;
  }

  private Outcome verify(Path plugin, String store, String... more) throws Exception {
    Path own = Files.createDirectories(temp.resolve("tmp"));
    List<String> command =
        new ArrayList<>(
            Installed.bin(
                "verify",
                plugin.toString(),
                "--config",
                installed.configuration("k.json", store).toString()));
    command.addAll(List.of(more));
    Outcome outcome =
        installed.run(
            Map.of(
                "KVASIR_JAVA",
                Installed.JAVA_HOME.toString(),
                "KVASIR_OPTIONS",
                "-Djava.io.tmpdir=" + own),
            command);
    try (Stream<Path> left = Files.list(own)) {
      assertEquals(List.of(), left.toList(), "files that it left");
    }
    return outcome;
  }

  @ParameterizedTest
  @CsvSource({
    "short-read, 5, true, R-ATOM-1",
    "flipped-bit, 7, false, R-ATOM-1",
    "black-hole-after, 1, true, R-STATUS-10"
  })
  void aFaultIsNamedByTheRuleThatItBreaks(String fault, int n, boolean checksum, String rule)
      throws Exception {
    Outcome outcome =
        verify(
            zip("kvasir-plugin-memory"),
            "{\"memory\":{\"%s\":%d,\"checksum\":%b}}".formatted(fault, n, checksum),
            "--rule",
            "R-ATOM-1");
    assertEquals(1, outcome.exit(), outcome.out() + outcome.err());
    List<String> broken =
        outcome.out().lines().filter(line -> line.startsWith("broken: ")).toList();
    assertEquals(1, broken.size(), outcome.out());
    assertTrue(broken.getFirst().startsWith("broken: " + rule + ": "), outcome.out());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'latency':'1ms' | R-ATOM | a call took",
        "'fail-every':5 | R- | calls that failed and were repeated: load IO",
        "'capacity':'2MiB' | R-CAP | the store had no room for"
      })
  void aStoreThatIsSlowFailsOrIsSmallPassesAndItIsSaid(String setting, String rule, String seen)
      throws Exception {
    Outcome outcome =
        verify(
            zip("kvasir-plugin-memory"),
            "{\"memory\":{%s}}".formatted(setting.replace('\'', '"')),
            "--rule",
            rule);
    assertEquals(0, outcome.exit(), outcome.out() + outcome.err());
    assertTrue(outcome.out().contains(seen), outcome.out());
    assertTrue(outcome.out().contains(" rules hold, 0 broken, "), outcome.out());
  }

  @Test
  void aStoreOnDiskIsTriedBesideTheOperatorsOwn() throws Exception {
    Outcome outcome =
        verify(
            Installed.HOME.resolve("plugins/kvasir-plugin-local"),
            Installed.local("blocks"),
            "--rule",
            "R-RESTART",
            "--rule",
            "R-ISO");
    assertEquals(0, outcome.exit(), outcome.out() + outcome.err());
    assertTrue(outcome.out().contains("13 rules hold, 0 broken, 0 skipped"), outcome.out());
    assertFalse(Files.exists(temp.resolve("blocks")), "the operator's folder was touched");
  }

  @Test
  void reportsAreForMachinesAndForPeople() throws Exception {
    Path report = temp.resolve("report");
    verify(
        zip("kvasir-plugin-memory"),
        "{\"memory\":{\"short-read\":1}}",
        "--rule",
        "R-CAP",
        "--rule",
        "R-ATOM-1",
        "--seed",
        "7",
        "--report",
        report.toString());
    Element suite =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(report.resolve("TEST-kvasir-verify.xml").toFile())
            .getDocumentElement();
    // without R-STATUS-10, which has nothing to load either, no other is tried
    assertEquals("1", suite.getAttribute("failures"));
    String failed =
        ((Element) ((Element) suite.getElementsByTagName("failure").item(0)).getParentNode())
            .getAttribute("name");
    assertTrue(failed.startsWith("R-STATUS-10: "), failed);
    String html = Files.readString(report.resolve("verify.html"));
    assertTrue(html.contains("<h2 class=\"BROKEN\">R-STATUS-10: "), html);
    assertTrue(html.contains("CORRUPT instead of OK"), html);
    assertTrue(html.contains("; seed 7</p>"), html);
    assertTrue(
        Files.readString(report.resolve("TEST-kvasir-verify.xml"))
            .contains("name=\"seed\" value=\"7\""));
  }

  /** Amid a rule of a store on disk, and amid a soak. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "kvasir-plugin-local | {'local':{'directory':'blocks','capacity':'64MiB'}} | R-ATOM-1",
        "kvasir-plugin-memory | {'memory':{}} | to go"
      })
  void anInterruptedRunLeavesNothing(String plugin, String store, String until) throws Exception {
    Path own = Files.createDirectories(temp.resolve("tmp"));
    Path config = installed.configuration("k.json", store.replace('\'', '"'));
    Outcome outcome =
        installed.interrupted(
            until,
            "-Djava.io.tmpdir=" + own,
            List.of(
                    "verify",
                    zip(plugin).toString(),
                    "--config",
                    config.toString(),
                    "--rule",
                    "R-ATOM",
                    "--soak",
                    "5")
                .toArray(String[]::new));
    assertEquals(143, outcome.exit(), outcome.out());
    assertTrue(outcome.out().contains("interrupted: what was stored is removed"), outcome.out());
    assertFalse(outcome.out().contains("BROKEN"), outcome.out());
    try (Stream<Path> left = Files.list(own)) {
      assertEquals(List.of(), left.toList(), outcome.out());
    }
    assertFalse(Files.exists(temp.resolve("blocks")), "the operator's folder was touched");
  }

  @Test
  void aRuleIsTriedAloneAndOneThatIsNotThereIsRefused() throws Exception {
    Path plugin = Installed.HOME.resolve("plugins/kvasir-plugin-memory");
    Outcome one = verify(plugin, "{\"memory\":{}}", "--rule", "R-ID-1");
    assertTrue(one.good().contains("2 rules hold, 0 broken, 0 skipped"), one.out());
    for (String rule : List.of("R-ATMO", "R-ATOM-99", "R-PATH-1")) {
      Outcome none = verify(plugin, "{\"memory\":{}}", "--rule", rule);
      assertEquals(2, none.exit(), none.out());
      assertTrue(none.err().contains(rule + ": there is no such rule of stores"), none.err());
    }
  }

  @Test
  void soakAndSpeedAreToldAndReported() throws Exception {
    Path report = temp.resolve("report");
    Outcome outcome =
        verify(
            zip("kvasir-plugin-memory"),
            "{\"memory\":{}}",
            "--rule",
            "R-CAP-2",
            "--soak",
            "0.05",
            "--speed",
            "--report",
            report.toString());
    String out = outcome.good();
    assertTrue(out.contains(" to go: "), "progress of the soak: " + out);
    assertTrue(out.contains("holds   R-SOAK-1: "), out);
    assertTrue(out.contains("soak of 3 s: "), out);
    assertTrue(out.contains("; memory grew by "), out);
    assertTrue(out.contains("3 rules hold, 0 broken, 0 skipped"), out);
    NodeList properties =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(report.resolve("TEST-kvasir-verify.xml").toFile())
            .getElementsByTagName("property");
    List<String> measured = new ArrayList<>();
    for (int i = 0; i < properties.getLength(); i++) {
      Element property = (Element) properties.item(i);
      measured.add(property.getAttribute("name"));
      assertTrue(Double.parseDouble(property.getAttribute("value")) > 0, out);
    }
    assertEquals(List.of("seed", "speed.put", "speed.get", "speed.lookup"), measured);
    String html = Files.readString(report.resolve("verify.html"));
    for (String operation : List.of("put", "get")) {
      String line = Installed.lines(out, operation + ": ").getFirst();
      assertTrue(line.contains(" of memcpy, "), line);
      assertTrue(html.contains(line.substring(0, line.indexOf(','))), html);
    }
  }

  /** Its own folder is not touched, and its disk is what counts. */
  @Test
  void theSpeedOfAStoreOnDiskIsMeasuredBesideTheOperatorsOwn() throws Exception {
    Outcome outcome =
        verify(
            Installed.HOME.resolve("plugins/kvasir-plugin-local"),
            Installed.local("mine/blocks"),
            "--rule",
            "R-CAP-2",
            "--speed",
            "--json");
    String json = outcome.good();
    for (String key : List.of("put", "get-cold", "get-warm", "lookup")) {
      assertTrue(json.contains("\"" + key + "\" : {"), json);
    }
    try (Stream<Path> left = Files.list(temp)) {
      assertEquals(
          List.of(),
          left.filter(file -> file.getFileName().toString().matches("kvasir-.*|mine")).toList());
    }
  }

  @Test
  void aPluginIsVerifiedBesideTheOneThatItNeeds() throws Exception {
    Path words = Files.createDirectories(temp.resolve("words"));
    Path needy = Files.createDirectories(temp.resolve("needy"));
    Sources.needy(installed, words, needy);
    String store = "{\"needy\":{\"directory\":\"blocks\"}}";
    Outcome alone = verify(needy, store, "--rule", "R-CAP-2");
    assertEquals(1, alone.exit(), alone.out() + alone.err());
    assertTrue(
        alone
            .err()
            .contains(
                needy
                    + ": the plugin needy does not start: needs the plugin \"words\", which is not"
                    + " there; give it too: --with PLUGIN"),
        alone.err());
    Outcome together = verify(needy, store, "--rule", "R-CAP-2", "--with", words.toString());
    assertTrue(together.good().contains("2 rules hold, 0 broken, 0 skipped"), together.out());
    Outcome otherWay = verify(words, store, "--rule", "R-CAP-2", "--with", needy.toString());
    assertEquals(2, otherWay.exit(), otherWay.out());
    assertTrue(otherWay.err().contains("the store \"needy\" is another plugin's"), otherWay.err());
  }

  /** The GPU's plugin is one that others may use, and the distribution brings it. */
  @Test
  void aPluginIsVerifiedBesideTheOneThatItMayUse() throws Exception {
    Outcome outcome =
        verify(
            zip("kvasir-plugin-memory"),
            "{\"memory\":{}}",
            "--rule",
            "R-CAP-2",
            "--with",
            Installed.HOME.resolve("plugins/kvasir-plugin-cuda").toString());
    assertTrue(outcome.good().contains("2 rules hold, 0 broken, 0 skipped"), outcome.out());
  }

  @Test
  void oneValueIsPrintedForAMachine() throws Exception {
    Outcome outcome =
        verify(zip("kvasir-plugin-memory"), "{\"memory\":{}}", "--rule", "R-CAP-2", "--json");
    assertEquals(0, outcome.exit(), outcome.err());
    assertTrue(outcome.out().startsWith("{"), outcome.out());
    assertTrue(outcome.out().contains("\"rule\" : \"R-CAP-2\""), outcome.out());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "no.zip | {'memory':{}} | there is no such plugin",
        "kvasir-plugin-memory | {'memory':{'capacity':'1MiB'}} | too few for the kit",
        "kvasir-plugin-memory | {'local':{}} | there is no store"
      })
  void whatCannotBeVerifiedIsSaid(String plugin, String store, String message) throws Exception {
    Outcome outcome = verify(Installed.HOME.resolve("plugins/" + plugin), store.replace('\'', '"'));
    assertEquals(2, outcome.exit(), outcome.out() + outcome.err());
    assertTrue(outcome.err().contains(message), outcome.err());
  }
}

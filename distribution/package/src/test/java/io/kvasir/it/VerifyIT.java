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

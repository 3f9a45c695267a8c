package io.kvasir.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.it.Installed.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands of bin/kvasir: what they print, and how they end. */
class CommandsIT {
  @TempDir Path temp;
  private Installed installed;

  @BeforeEach
  void installed() {
    installed = new Installed(temp);
  }

  @Test
  void theVersionIsThatOfTheDistribution() throws Exception {
    String out = installed.kvasir("--version").good();
    assertEquals("kvasir " + Installed.VERSION, out.lines().findFirst().orElseThrow());
  }

  @Test
  void theHelpListsTheCommandsAndTheExitStatus() throws Exception {
    String out = installed.kvasir("--help").good();
    for (String word :
        List.of(
            "plugins",
            "identity",
            "doctor",
            "ls",
            "rm",
            "bench",
            "verify",
            "new",
            "format",
            "Exit status:",
            "0",
            "1",
            "2",
            "3",
            "4")) {
      assertTrue(out.contains(word), out);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "remove", "ls --al", "identity", "rm"})
  void aWrongCommandLineEndsWithTwo(String arguments) throws Exception {
    Outcome outcome =
        installed.kvasir(arguments.isEmpty() ? new String[0] : arguments.split(" ", -1));
    assertEquals(2, outcome.exit(), outcome.err());
    assertTrue(outcome.err().startsWith("kvasir: "), outcome.err());
    assertEquals("", outcome.out());
  }

  @Test
  void theDistributionsOwnPluginsStart() throws Exception {
    assertEquals(
        """
        PLUGIN       VERSION  STATE    DETAIL
        kvasir-cuda  %1$s    started
        local        %1$s    started
        memory       %1$s    started
        mooncake     %1$s    started
        """
            .formatted(Installed.VERSION),
        installed.kvasir("plugins").good());
  }

  @Test
  void aFailedPluginIsListedWithItsReason() throws Exception {
    Path plugins = installed.plugins();
    Files.createDirectory(plugins.resolve("zero"));
    Path conf = installed.configuration("k.json", "{\"memory\":{}}", plugins);
    Outcome outcome = installed.kvasir("plugins", "--json", "-c", conf.toString());
    assertEquals(1, outcome.exit());
    assertEquals("", outcome.err());
    assertTrue(
        outcome.out().contains("\"detail\" : \"holds no plugin.properties; it is no plugin\""),
        outcome.out());
    assertTrue(outcome.out().startsWith("[ {"), outcome.out());
  }

  @Test
  void theConfigurationOfTheDistributionWantsATenant() throws Exception {
    Outcome outcome = installed.kvasir("doctor");
    assertEquals(1, outcome.exit(), outcome.err());
    assertTrue(
        outcome
            .out()
            .contains(
                "conf/kvasir.json: tenant: \"\" names nobody; write who owns the blocks, as in"
                    + " \"tenant\": \"acme\""),
        outcome.out());
  }

  @Test
  void aWrongConfigurationEndsWithTwo() throws Exception {
    Path conf =
        installed.configuration("k.json", Installed.local("blocks").replace("64MiB", "ten"));
    String message =
        conf + ": store.local.capacity: \"ten\" is not a size; write a number of bytes or 10GiB";
    Outcome outcome = installed.kvasir("ls", "--json", "-c", conf.toString());
    assertEquals(2, outcome.exit());
    assertEquals("kvasir: " + message + "\n", outcome.err());
    assertEquals(
        "{\n  \"error\" : \"%s\"\n}\n".formatted(message.replace("\"", "\\\"")), outcome.out());
  }

  @Test
  void aStoreThatIsDownEndsWithThree() throws Exception {
    Path conf = probe("down");
    Outcome outcome = installed.kvasir("ls", "-c", conf.toString());
    assertEquals(3, outcome.exit());
    assertEquals(
        "kvasir: " + conf + ": store.probe: cannot be opened: nobody answers\n", outcome.err());
  }

  @Test
  void theDoctorSaysWhatIsSound() throws Exception {
    Path conf = installed.configuration("k.json", Installed.local("blocks"));
    Files.createDirectory(temp.resolve("blocks"));
    Files.setPosixFilePermissions(
        temp.resolve("blocks"),
        java.nio.file.attribute.PosixFilePermissions.fromString("rwx------"));
    Outcome outcome = installed.kvasir("doctor", "-c", conf.toString());
    assertEquals(0, outcome.exit(), outcome.out() + outcome.err());
    for (String check :
        List.of(
            "java",
            "kvasir",
            "configuration",
            "plugin local",
            "store.local.directory",
            "store local")) {
      assertTrue(
          outcome.out().lines().anyMatch(l -> l.matches("ok +" + check + " .*")),
          check + "\n" + outcome.out());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | '' | ok engine | namespace %n, policy strict",
        "64MiB | 8KiB | failed engine | store.local: capacity: 8 KiB is too small for blocks of"
            + " 16384 bytes; write at least 299536",
        "\"connector\":{ | \"identity\":{\"policy\":\"lmdeploy\"},\"connector\":{ | failed engine |"
            + " identity.policy: \"lmdeploy\" is not known; there are lmdeploy-v1, strict",
        "r7 | latest | failed engine | weights.name: \"latest\" can mean other weights tomorrow;"
            + " write a commit, a content digest or a name that is never used again, such as"
            + " \"release-7\"",
      })
  void theDoctorConnectsAnEngineThatIsNamed(
      String before, String after, String check, String detail) throws Exception {
    Path plugins = installed.plugins();
    Sources.probe(installed, plugins);
    Path conf = installed.configuration("k.json", Installed.local("blocks"), plugins);
    Files.writeString(conf, Files.readString(conf).replace(before, after));
    Outcome outcome = installed.kvasir("doctor", "--engine", "tiny", "-c", conf.toString());
    boolean sound = check.startsWith("ok");
    String expected =
        sound ? detail.replace("%n", namespace(conf).substring(0, 32)) : conf + ": " + detail;
    assertEquals(
        check + "  " + expected,
        outcome
            .out()
            .lines()
            .toList()
            .getLast()
            .replaceAll("^(ok|failed) +engine +", check + "  "));
    assertTrue(outcome.out().lines().toList().getLast().startsWith(check.substring(0, 2)));
    assertEquals(sound ? 0 : 1, outcome.exit(), outcome.err());
    assertFalse(Files.exists(temp.resolve("blocks")));
  }

  private String namespace(Path conf) throws Exception {
    String shown =
        installed.kvasir("identity", "show", "--engine", "tiny", "-c", conf.toString()).good();
    return Installed.lines(shown, "namespace").getFirst();
  }

  @Test
  void theDoctorResolvesWhatTheConfigurationSaysByItself() throws Exception {
    Path conf = installed.configuration("k.json", Installed.local("blocks"));
    String out = installed.kvasir("doctor", "-c", conf.toString()).good();
    assertEquals(
        List.of(
            "ok  identity  policy strict",
            "ok  weights  {\"kind\":\"base\",\"model\":\"tiny\",\"name\":\"r7\"}",
            "ok  format  the engine's; name it with --engine to have it looked at"),
        out.lines().skip(out.lines().count() - 3).map(l -> l.replaceAll("   +", "  ")).toList());
    Files.writeString(
        conf, Files.readString(conf).replace("{\"by\":\"name\"", "{\"by\":\"commit\""));
    Outcome wrong = installed.kvasir("doctor", "-c", conf.toString());
    assertEquals(1, wrong.exit());
    assertTrue(
        wrong
            .out()
            .contains(
                conf
                    + ": weights: name: does not count where the weights are named by commit; leave"
                    + " it out, or write \"by\": \"name\""),
        wrong.out());
  }

  @Test
  void theDoctorWarnsOfADirectoryThatOthersCanRead() throws Exception {
    Path conf = installed.configuration("k.json", Installed.local("blocks"));
    Files.createDirectory(temp.resolve("blocks"));
    Files.setPosixFilePermissions(
        temp.resolve("blocks"),
        java.nio.file.attribute.PosixFilePermissions.fromString("rwxr-xr-x"));
    String out = installed.kvasir("doctor", "--json", "-c", conf.toString()).out();
    assertTrue(out.contains("blocks: others may look in (rwxr-xr-x); chmod 700 it"), out);
  }

  @Test
  void theDoctorSaysThatAStoreIsDown() throws Exception {
    Outcome outcome = installed.kvasir("doctor", "-c", probe("down").toString());
    assertEquals(1, outcome.exit());
    assertTrue(outcome.out().contains("cannot be opened: nobody answers"), outcome.out());
  }

  @Test
  void namespacesAreListedExplainedAndRemovedOneByOne() throws Exception {
    Path embedded = installed.configuration("embedded.json", Installed.local("blocks"));
    Path plugins = installed.plugins();
    Sources.probe(installed, plugins); // it has the engine's format resolver
    Path conf = installed.configuration("k.json", Installed.local("blocks"), plugins);
    Path engine = Sources.engine(installed, temp);
    String first =
        Installed.lines(installed.onModulePath(engine, embedded.toString()).good(), "namespace")
            .getFirst();
    Path other = temp.resolve("other.json");
    Files.writeString(other, Files.readString(embedded).replace("\"r7\"", "\"r8\""));
    String second =
        Installed.lines(installed.onModulePath(engine, other.toString()).good(), "namespace")
            .getFirst();

    String shown =
        installed.kvasir("identity", "show", "--engine", "tiny", "-c", conf.toString()).good();
    assertEquals(List.of(first), Installed.lines(shown, "namespace"));
    assertEquals(List.of("acme"), Installed.lines(shown, "tenant"));

    String list = installed.kvasir("ls", "-c", conf.toString()).good();
    assertEquals(4, list.lines().count(), list);
    assertTrue(list.endsWith("\nblocks and bytes lag behind an engine that writes\n"), list);
    assertTrue(list.contains(first.substring(0, 32) + "  acme    tiny   base r7"), list);
    assertTrue(list.contains(" 4 "), list);

    String explained =
        installed
            .kvasir("identity", "explain", first.substring(0, 12), second, "-c", conf.toString())
            .good();
    assertTrue(explained.contains("semantic.weights.name"), explained);
    String nearest =
        installed
            .kvasir(
                "identity",
                "explain",
                "--nearest",
                "--engine",
                "tiny",
                "--json",
                "-c",
                conf.toString())
            .good();
    assertTrue(nearest.contains("\"nearest\" : \"" + second + "\""), nearest);

    Outcome refused = installed.kvasir("rm", first, "-c", conf.toString());
    assertEquals(1, refused.exit());
    assertTrue(refused.err().contains("nothing was removed"), refused.err());
    String removed = installed.kvasir("rm", first, "--yes", "-c", conf.toString()).good();
    assertTrue(removed.startsWith("removed " + first.substring(0, 32) + ": 4 blocks"), removed);
    String left = installed.kvasir("ls", "--json", "-c", conf.toString()).good();
    assertTrue(left.contains(second) && !left.contains(first), left);
    assertEquals(1, installed.kvasir("rm", first, "--yes", "-c", conf.toString()).exit());
    assertEquals(2, installed.kvasir("rm", "abc", "--yes", "-c", conf.toString()).exit());
  }

  @Test
  void besideAnEngineTheStoreIsLookedAtAndNotChanged() throws Exception {
    Path embedded = installed.configuration("embedded.json", Installed.local("blocks"));
    Path plugins = installed.plugins();
    Sources.probe(installed, plugins);
    Path conf = installed.configuration("k.json", Installed.local("blocks"), plugins);
    Path engine = Sources.engine(installed, temp);
    Process holder = installed.holding(engine, embedded.toString());
    try {
      String list = installed.kvasir("ls", "--json", "-c", conf.toString()).good();
      assertTrue(list.contains("\"blocks\" : 4"), list);
      String namespace = Installed.lines(list.replace("\"", ""), "  namespace :").getFirst();
      String doctor = installed.kvasir("doctor", "-c", conf.toString()).good();
      assertTrue(
          doctor.contains(
              "read from its files; process %d may have it open, and what it wrote last may be missing here; 4 blocks, "
                  .formatted(holder.pid())),
          doctor);
      Outcome nearest =
          installed.kvasir(
              "identity", "explain", "--nearest", "--engine", "tiny", "-c", conf.toString());
      assertEquals("the store holds no other namespace\n", nearest.out(), nearest.err());
      Outcome refused =
          installed.kvasir("rm", namespace.substring(0, 12), "--yes", "-c", conf.toString());
      assertEquals(3, refused.exit());
      assertEquals(
          "kvasir: %s: store.local: cannot be opened: store directory %s: locked by process %d; end that process, or configure another directory\n"
              .formatted(conf, temp.resolve("blocks"), holder.pid()),
          refused.err());
    } finally {
      holder.getOutputStream().close();
      assertEquals(0, holder.waitFor());
    }
    assertTrue(installed.kvasir("ls", "-c", conf.toString()).good().contains(" 4 "));
  }

  @Test
  void lookingAtAStoreThatIsNotThereCreatesNothing() throws Exception {
    Path conf = installed.configuration("k.json", Installed.local("blocks"));
    assertEquals(
        "the store holds no namespace\n", installed.kvasir("ls", "-c", conf.toString()).good());
    String doctor = installed.kvasir("doctor", "-c", conf.toString()).good();
    assertTrue(
        doctor.contains("not there yet; the first engine that opens it creates it; 0 blocks, "),
        doctor);
    Outcome rm = installed.kvasir("rm", "0123456789", "--yes", "-c", conf.toString());
    assertEquals("kvasir: the store has no namespace 0123456789\n", rm.err());
    assertEquals(1, rm.exit());
    assertFalse(Files.exists(temp.resolve("blocks")));
  }

  @Test
  void anUnnamedFieldOfTheIdentityEndsWithTwo() throws Exception {
    Path conf = installed.configuration("k.json", "{\"memory\":{}}");
    Outcome outcome =
        installed.kvasir("identity", "show", "--engine", "nobody", "-c", conf.toString());
    assertEquals(2, outcome.exit());
    assertTrue(
        outcome.err().startsWith("kvasir: resolver: there is no format resolver \"nobody\"; "),
        outcome.err());
  }

  private Path probe(String how) throws IOException {
    Path plugins = installed.plugins();
    Sources.probe(installed, plugins);
    return installed.configuration("k.json", "{\"probe\":{\"how\":\"" + how + "\"}}", plugins);
  }

  @Test
  void theScriptIsFoundOverLinksAndInADirectoryWithSpaces() throws Exception {
    Path home = temp.resolve("a b");
    try (Stream<Path> all = Files.walk(Installed.HOME)) {
      for (Path file : all.toList()) {
        Files.copy(
            file,
            home.resolve(Installed.HOME.relativize(file).toString()),
            StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
    Path kvasir = Files.createSymbolicLink(temp.resolve("kv"), Path.of("a b/bin/kvasir"));
    Outcome outcome =
        installed.run(
            Map.of("KVASIR_JAVA", Installed.JAVA_HOME.toString()),
            List.of(kvasir.toString(), "plugins"));
    assertTrue(outcome.good().contains("local"), outcome.out());
  }

  @Test
  void benchMeasuresBesideTheDiskAndLeavesNothing() throws Exception {
    Path disk = Files.createDirectory(temp.resolve("disk"));
    String[] arguments = {
      "bench", disk.toString(), "--size", "1 MiB", "--block", "64 KiB", "--rounds", "2"
    };
    String out = installed.kvasir(arguments).good();
    assertTrue(
        Pattern.compile(
                "puts at [0-9]+[.][0-9]{2} of what this disk can do, gets at [0-9]+[.][0-9]{2}: ")
            .matcher(out)
            .find(),
        out);
    List<String> json = new ArrayList<>(List.of(arguments));
    json.add("--json");
    String value = installed.kvasir(json.toArray(String[]::new)).good();
    assertTrue(value.contains("\"mode\" : \"direct\""), value);
    for (String what : List.of("put", "get", "ratio", "raw_gb_per_s", "cpu_s_per_gb", "verdict")) {
      assertTrue(value.contains('"' + what + '"'), value);
    }
    try (Stream<Path> left = Files.list(disk)) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  void benchRefusesWhatItCannotMeasure() throws Exception {
    Path file = Files.writeString(temp.resolve("file"), "");
    Outcome noDirectory = installed.kvasir("bench", file.toString());
    assertEquals(2, noDirectory.exit());
    assertEquals(
        "kvasir: " + file + " is not a directory; name one on the disk to measure",
        noDirectory.err().lines().findFirst().orElseThrow());
    Outcome block = installed.kvasir("bench", temp.toString(), "--block", "5000 B");
    assertEquals(2, block.exit());
    assertEquals(
        "kvasir: --block: 5000 B: write a multiple of 4096 bytes up to 64 MiB",
        block.err().lines().findFirst().orElseThrow());
    Outcome full = installed.kvasir("bench", temp.toString(), "--size", "4000 TiB");
    assertEquals(1, full.exit());
    assertTrue(full.err().endsWith("choose a smaller --size\n"), full.err());
  }
}

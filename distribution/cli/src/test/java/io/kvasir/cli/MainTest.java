package io.kvasir.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.KvasirException;
import io.kvasir.api.store.StoreException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** What a command's failure says, and the exit status that stands for it in the help. */
class MainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private CommandLine line(String... arguments) {
    CommandLine line =
        Main.commandLine().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    line.parseArgs(arguments);
    return line;
  }

  @ParameterizedTest
  @CsvSource({
    "CONFIGURATION, 2",
    "MISMATCH, 1",
    "UNSUPPORTED, 1",
    "UNAVAILABLE, 3",
    "CAPACITY, 3",
    "IO, 3",
    "CLOSED, 3",
    "TIMEOUT, 3",
  })
  void aStoresErrorEndsWithTheStatusOfItsKind(StoreException.Kind kind, int status) {
    StoreException e = new StoreException(kind, "it is so");
    assertEquals(status, Main.failure(e, line("ls")));
    assertEquals("kvasir: it is so\n", err.toString());
    err.getBuffer().setLength(0);
    KvasirException located = new KvasirException("k.json: store.local: it is so", e);
    assertEquals(status, Main.failure(located, line("ls")));
    assertEquals("kvasir: k.json: store.local: it is so\n", err.toString());
    assertEquals("", out.toString());
  }

  @Test
  void everyKindHasAStatusOfTheHelp() {
    Set<Integer> documented =
        Arrays.stream(Main.class.getAnnotation(CommandLine.Command.class).exitCodeList())
            .map(line -> Integer.valueOf(line.substring(0, line.indexOf(':'))))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(Set.of(0, 1, 2, 3, 4), documented);
    for (StoreException.Kind kind : EnumSet.allOf(StoreException.Kind.class)) {
      int status = Main.failure(new StoreException(kind, ""), line("ls"));
      assertTrue(Set.of(1, 2, 3).contains(status), kind + " ends with " + status);
    }
  }

  @Test
  void anErrorOfTheConfigurationEndsWithTwo() {
    KvasirException e = new KvasirException("k.json: tenant: missing");
    assertEquals(2, Main.failure(e, line("ls")));
    assertEquals("kvasir: k.json: tenant: missing\n", err.toString());
    KvasirException caused = new KvasirException("k.json: no JSON", new IllegalStateException());
    assertEquals(2, Main.failure(caused, line("ls")));
  }

  @Test
  void anythingElseIsUnexpectedAndShowsWhereItCameFrom() {
    assertEquals(4, Main.failure(new IllegalStateException("oops"), line("ls")));
    assertTrue(
        err.toString().startsWith("java.lang.IllegalStateException: oops\n\tat io.kvasir.cli"),
        err.toString());
    assertTrue(
        err.toString().endsWith("kvasir: java.lang.IllegalStateException: oops\n"), err.toString());
  }

  @Test
  void withJsonTheErrorIsAValueToo() {
    assertEquals(2, Main.failure(new KvasirException("so"), line("ls", "--json")));
    assertEquals("{\n  \"error\" : \"so\"\n}\n", out.toString());
    assertEquals("kvasir: so\n", err.toString());
  }

  @Test
  void aWrongCommandLineEndsWithTwo() {
    CommandLine line = line("ls");
    assertEquals(2, line.execute("ls", "--al"));
    assertEquals(
        "kvasir: Unknown option: '--al'\nkvasir: kvasir ls --help says more\n", err.toString());
  }
}

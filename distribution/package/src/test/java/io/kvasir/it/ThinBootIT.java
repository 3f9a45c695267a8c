package io.kvasir.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.it.Installed.Outcome;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The distribution: the boot layer is the JDK, the API and the launcher. */
class ThinBootIT {
  static final String SEES_THE_API_ALONE =
      "io.kvasir.core.RuntimeProvider hidden, io.kvasir.cli.Main hidden, io.kvasir.launcher.Main"
          + " hidden, org.pf4j.Plugin hidden, tools.jackson.databind.ObjectMapper hidden,"
          + " dev.engine.Main hidden, io.kvasir.api.Kvasir visible, java.sql.Connection visible, ";

  @TempDir Path temp;

  @Test
  void aPluginSeesNeitherTheCoreNorItsLibraries() throws Exception {
    Installed installed = new Installed(temp);
    Path plugins = installed.plugins();
    Sources.probe(installed, plugins);
    Path conf = installed.configuration("k.json", "{\"probe\":{\"how\":\"look\"}}", plugins);
    Outcome outcome = installed.kvasir("ls", "--config", conf.toString());
    assertEquals(
        "kvasir: "
            + conf
            + ": store.probe: cannot be opened: "
            + SEES_THE_API_ALONE
            + "layer true\n",
        outcome.err());
    assertEquals(2, outcome.exit());
  }
}

package io.kvasir.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.it.Installed.Outcome;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application with the API and the core on its module path. */
class EmbeddedOnModulePathIT {
  @TempDir Path temp;

  @Test
  void whatOneProcessSavesTheNextLoads() throws Exception {
    Installed installed = new Installed(temp);
    Path engine = Sources.engine(installed, temp);
    Path conf = installed.configuration("k.json", Installed.local("blocks"));
    String first = installed.onModulePath(engine, conf.toString()).good();
    assertEquals(List.of("0"), Installed.lines(first, "cached"), first);
    assertEquals(List.of("4"), Installed.lines(first, "saved"), first);
    String second = installed.onModulePath(engine, conf.toString()).good();
    assertEquals(List.of("64"), Installed.lines(second, "cached"), second);
    assertEquals(List.of("true"), Installed.lines(second, "idle"), second);
    assertEquals(Installed.lines(first, "namespace"), Installed.lines(second, "namespace"));
  }

  @Test
  void everyPluginOfTheDistributionStarts() throws Exception {
    Installed installed = new Installed(temp);
    Path engine = Sources.engine(installed, temp);
    Path conf = installed.configuration("k.json", "{\"memory\":{}}");
    String out = installed.onModulePath(engine, conf.toString()).good();
    assertEquals(
        List.of("local STARTED", "memory STARTED", "mooncake STARTED"),
        Installed.lines(out, "plugin"),
        out);
  }

  @Test
  void aPluginSeesNeitherTheCoreNorTheApplication() throws Exception {
    Installed installed = new Installed(temp);
    Path engine = Sources.engine(installed, temp);
    Path plugins = installed.plugins();
    Sources.probe(installed, plugins);
    Path conf = installed.configuration("k.json", "{\"probe\":{\"how\":\"look\"}}", plugins);
    Outcome outcome = installed.onModulePath(engine, conf.toString());
    String refused = Installed.lines(outcome.good(), "refused").getFirst();
    assertEquals(
        conf + ": store.probe: cannot be opened: " + ThinBootIT.SEES_THE_API_ALONE + "layer true",
        refused);
    assertTrue(refused.contains("dev.engine.Main hidden"), refused);
  }
}

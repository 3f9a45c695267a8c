package io.kvasir.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application with everything on its class path, as a Spring Boot engine has it. */
class EmbeddedOnClassPathIT {
  @TempDir Path temp;

  @Test
  void whatOneProcessSavesTheNextLoadsAndTheOtherShapeToo() throws Exception {
    Installed installed = new Installed(temp);
    Path engine = Sources.engine(installed, temp);
    Path conf = installed.configuration("k.json", Installed.local("blocks"));
    String first = installed.onClassPath(engine, conf.toString()).good();
    assertEquals(List.of("0"), Installed.lines(first, "cached"), first);
    assertEquals(List.of("4"), Installed.lines(first, "saved"), first);
    String second = installed.onClassPath(engine, conf.toString()).good();
    assertEquals(List.of("64"), Installed.lines(second, "cached"), second);
    String other = installed.onModulePath(engine, conf.toString()).good();
    assertEquals(List.of("64"), Installed.lines(other, "cached"), other);
    assertEquals(Installed.lines(first, "namespace"), Installed.lines(other, "namespace"));
  }

  @Test
  void everyPluginOfTheDistributionStarts() throws Exception {
    Installed installed = new Installed(temp);
    Path engine = Sources.engine(installed, temp);
    Path conf = installed.configuration("k.json", "{\"memory\":{}}");
    String out = installed.onClassPath(engine, conf.toString()).good();
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
    String out = installed.onClassPath(engine, conf.toString()).good();
    assertEquals(
        List.of(
            conf
                + ": store.probe: cannot be opened: "
                + ThinBootIT.SEES_THE_API_ALONE
                + "layer false"),
        Installed.lines(out, "refused"));
  }
}

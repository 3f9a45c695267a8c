package io.kvasir.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.it.Installed.Outcome;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An application with the API and the core on its paths. */
class EmbeddedIT {
  /** Where the application lies. */
  enum Shape {
    /** With the API and the core on the module path. */
    MODULE_PATH,
    /** With everything on the class path, as a Spring Boot engine has it. */
    CLASS_PATH
  }

  @TempDir Path temp;
  private Installed installed;
  private Path engine;

  @BeforeEach
  void engine() throws Exception {
    installed = new Installed(temp);
    engine = Sources.engine(installed, temp);
  }

  private String run(Shape shape, Path configuration) throws Exception {
    Outcome outcome =
        shape == Shape.MODULE_PATH
            ? installed.onModulePath(engine, configuration.toString())
            : installed.onClassPath(engine, configuration.toString());
    return outcome.good();
  }

  @Test
  void whatOneProcessSavesTheNextLoadsInEitherShape() throws Exception {
    Path conf = installed.configuration("k.json", Installed.local("blocks"));
    String first = run(Shape.CLASS_PATH, conf);
    assertEquals(List.of("0"), Installed.lines(first, "cached"), first);
    assertEquals(List.of("4"), Installed.lines(first, "saved"), first);
    for (Shape shape : Shape.values()) {
      String next = run(shape, conf);
      assertEquals(List.of("64"), Installed.lines(next, "cached"), next);
      assertEquals(List.of("true"), Installed.lines(next, "idle"), next);
      assertEquals(Installed.lines(first, "namespace"), Installed.lines(next, "namespace"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyPluginOfTheDistributionStartsAndAnEmptyStoreTakesBlocks(Shape shape) throws Exception {
    Path conf = installed.configuration("k.json", "{\"memory\":{}}");
    String out = run(shape, conf);
    assertEquals(
        List.of("kvasir-cuda STARTED", "local STARTED", "memory STARTED", "mooncake STARTED"),
        Installed.lines(out, "plugin"),
        out);
    assertEquals(List.of("0"), Installed.lines(out, "cached"), out);
    assertEquals(List.of("4"), Installed.lines(out, "saved"), out);
  }

  /** JNA works in each shape, and what a foreign library lacks is said. */
  @ParameterizedTest
  @EnumSource
  void aLibraryThatIsNotMooncakesIsRefusedByWhatItLacks(Shape shape) throws Exception {
    Path library = Path.of(System.getProperty("java.home"), "lib", "libzip.so");
    Path conf =
        installed.configuration(
            "k.json",
            "{\"mooncake\":{\"master\":\"127.0.0.1:1\",\"library\":\"%s\"}}".formatted(library));
    List<String> refused = Installed.lines(run(shape, conf), "refused");
    assertEquals(1, refused.size(), refused.toString());
    assertTrue(
        refused
            .getFirst()
            .startsWith(
                "%s: store.mooncake: cannot be opened: library: \"%s\": it lacks mooncake_store_batch_get_into, "
                    .formatted(conf, library)),
        refused.toString());
  }

  @ParameterizedTest
  @EnumSource
  void aPluginSeesNeitherTheCoreNorTheApplication(Shape shape) throws Exception {
    Path plugins = installed.plugins();
    Sources.probe(installed, plugins);
    Path conf = installed.configuration("k.json", "{\"probe\":{\"how\":\"look\"}}", plugins);
    assertEquals(
        List.of(
            "%s: store.probe: cannot be opened: %slayer %s"
                .formatted(conf, ThinBootIT.SEES_THE_API_ALONE, shape == Shape.MODULE_PATH)),
        Installed.lines(run(shape, conf), "refused"));
  }
}

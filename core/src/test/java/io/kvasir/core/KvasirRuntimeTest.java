package io.kvasir.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.KvConnector;
import io.kvasir.api.Kvasir;
import io.kvasir.api.KvasirException;
import io.kvasir.api.PluginStatus;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.Weights;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreDescriptor;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreHealth;
import io.kvasir.api.store.StoreView;
import io.kvasir.core.config.ConfigValue;
import io.kvasir.core.plugin.PluginBuilder;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KvasirRuntimeTest {
  private static final String STORE =
      "\"store\":{\"shelf\":{\"slots\":3}},\"weights\":{\"by\":\"name\",\"model\":\"m\",\"name\":\"r7\"}";

  @TempDir Path temp;
  private final List<String> events = new ArrayList<>();

  @BeforeEach
  void plugin() throws IOException {
    Path root = Files.createDirectory(temp.resolve("plugins"));
    new PluginBuilder(root, "shelf")
        .source("P", ShelfSources.PROVIDER)
        .source("S", ShelfSources.STORE)
        .source("R", ShelfSources.RESOLVER)
        .provides("io.kvasir.api.format.FormatResolver", "R")
        .folder();
  }

  @Test
  void theRuntimeIsFoundByTheApi() throws IOException {
    try (Kvasir kvasir = Kvasir.open(file("{\"tenant\":\"acme\"," + STORE + "}"))) {
      assertEquals(
          List.of(new PluginStatus("shelf", "1.0.0", PluginStatus.State.STARTED, "")),
          kvasir.plugins());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{%s} | tenant: missing; write who owns the blocks, as in \"tenant\": \"acme\"",
        "{\"tenant\":\" \",%s} | tenant: \" \" names nobody; write who owns the blocks, as in"
            + " \"tenant\": \"acme\"",
        "{\"tenant\":7,%s} | tenant: 7 is not a text; write one in quotes",
        "{\"tenant\":\"a\",\"tenent\":1,%s} | tenent: unknown key; did you mean \"tenant\"?",
        "{\"tenant\":\"a\"} | store: missing; name one store, as in {\"local\": {\"directory\":"
            + " \"blocks\", \"capacity\": \"10GiB\"}}",
        "{\"tenant\":\"a\",\"store\":{}} | store: names no store; write one, as in {\"local\":"
            + " {\"directory\": \"blocks\", \"capacity\": \"10GiB\"}}",
        "{\"tenant\":\"a\",\"store\":{\"shelf\":{},\"local\":{}}} | store: names 2 stores, shelf"
            + " and local; keep one",
        "{\"tenant\":\"a\",\"store\":{\"shelv\":{}}} | store.shelv: there is no store \"shelv\";"
            + " did you mean \"shelf\"?",
        "{\"tenant\":\"a\",\"store\":{\"redis\":{}}} | store.redis: there is no store \"redis\";"
            + " there are memory, shelf",
        "{\"tenant\":\"a\",\"store\":{\"shelf\":{\"slot\":3}}} | store.shelf.slot: unknown key; did"
            + " you mean \"slots\"?",
        "{\"tenant\":\"a\",\"store\":{\"shelf\":{\"slots\":0}}} | store.shelf: cannot be opened: no"
            + " slots",
        "{\"tenant\":\"a\",\"store\":{\"shelf\":{\"slots\":-1}}} | store.shelf: cannot be opened:"
            + " java.lang.IllegalStateException: broken",
        "{\"tenant\":\"a\",\"labels\":{\"x\":1},%s} | labels.x: 1 is not a text; write one in"
            + " quotes",
      })
  void aWrongConfigurationIsRefused(String json, String message) throws IOException {
    Path file = file(json.formatted(STORE));
    assertEquals(
        file + ": " + message,
        assertThrows(KvasirException.class, () -> Kvasir.open(file)).getMessage());
  }

  @Test
  void aDirectoryOfPluginsThatIsNotThereIsRefused() throws IOException {
    Path file = temp.resolve("k.json");
    Files.writeString(
        file, "{\"tenant\":\"a\",\"plugins\":{\"directory\":\"none\"}," + STORE + "}");
    assertEquals(
        "%s: plugins.directory: there is no directory %s; write where the plugins lie"
            .formatted(file, temp.resolve("none")),
        assertThrows(KvasirException.class, () -> Kvasir.open(file)).getMessage());
  }

  @Test
  void aFailedPluginIsNamedWhereItsStoreIsMissed() throws IOException {
    Path bad = new PluginBuilder(temp.resolve("plugins"), "bad").folder();
    Files.delete(bad.resolve("lib/bad.jar"));
    Path file = file("{\"tenant\":\"a\",\"store\":{\"bad\":{}}}");
    assertEquals(
        file
            + ": store.bad: there is no store \"bad\"; there are memory, shelf; the plugin bad has"
            + " failed: there is no jar in its lib; a plugin is plugin.properties and lib",
        assertThrows(KvasirException.class, () -> Kvasir.open(file)).getMessage());
  }

  @Test
  void aDisabledPluginIsNamedWhereItsStoreIsMissed() throws IOException {
    Path file = temp.resolve("k.json");
    Files.writeString(
        file,
        "{\"tenant\":\"a\",\"plugins\":{\"directory\":\"plugins\",\"disabled\":[\"shelf\"]},"
            + STORE
            + "}");
    assertEquals(
        file
            + ": store.shelf: there is no store \"shelf\"; there are memory; the plugin shelf is"
            + " disabled; take it out of plugins.disabled to have its stores",
        assertThrows(KvasirException.class, () -> Kvasir.open(file)).getMessage());
  }

  @Test
  void aStoreThatDoesNotListItsNamespacesIsNamed() {
    StoreView silent = () -> StoreHealth.up("fine");
    OpenStore<StoreView> open =
        new OpenStore<>(
            StoreDescriptor.named("shelf").build(),
            silent,
            new ConfigValue("k.json", temp, "store.shelf", Map.of()));
    KvasirException e = assertThrows(KvasirException.class, open::namespaces);
    assertEquals(
        "k.json: store.shelf: does not list its namespaces: its plugin does not claim the"
            + " capability \"enumerate\"",
        e.getMessage());
    assertEquals(StoreException.Kind.UNSUPPORTED, ((StoreException) e.getCause()).kind());
  }

  @Test
  void twoPluginsWhoseStoresHaveOneNameAreRefused() throws IOException {
    new PluginBuilder(temp.resolve("plugins"), "twin")
        .source("P", ShelfSources.PROVIDER)
        .source("S", ShelfSources.STORE)
        .folder();
    Path file = file("{\"tenant\":\"a\"," + STORE + "}");
    assertEquals(
        file
            + ": store.shelf: 2 providers of a store are called \"shelf\": [dev.shelf.P,"
            + " dev.twin.P]",
        assertThrows(KvasirException.class, () -> Kvasir.open(file)).getMessage());
  }

  @Test
  void theStoresOwnErrorIsTheCause() throws IOException {
    Path file = file("{\"tenant\":\"a\",\"store\":{\"shelf\":{\"slots\":0}}}");
    KvasirException e = assertThrows(KvasirException.class, () -> Kvasir.open(file));
    assertEquals(StoreException.Kind.UNAVAILABLE, ((StoreException) e.getCause()).kind());
  }

  @Test
  void theManifestSaysTenantWeightsFormatAndLabels() throws IOException {
    Identified identified =
        identify(
            "{\"tenant\":\"acme\",\"labels\":{\"team\":\"red\"}," + STORE + "}",
            spec().modelName("Llama"));
    NamespaceManifest manifest = identified.deployment();
    assertEquals("acme", manifest.tenant());
    assertEquals(Weights.named("m", "r7"), manifest.weights());
    assertEquals("tester", manifest.format().engine());
    assertEquals(Map.of("team", "red", "model", "Llama"), manifest.labels());
    assertEquals("strict", identified.policy().policy().name());
    assertEquals(manifest.id(), identified.namespace().id());
  }

  @Test
  void theEnginesOwnWeightsWin() throws IOException {
    Weights mine = Weights.full("run", "step-1");
    assertEquals(
        mine,
        identify("{\"tenant\":\"acme\"," + STORE + "}", spec().weights(mine))
            .deployment()
            .weights());
  }

  @Test
  void anUnknownResolverIsRefused() throws IOException {
    assertEquals(
        "resolver: there is no format resolver \"teste\"; did you mean \"tester\"?",
        refused("{\"tenant\":\"a\"," + STORE + "}", spec().resolver("teste")));
  }

  @Test
  void aFormatThatLeavesSomethingOpenIsRefused() throws IOException {
    assertEquals(
        "compute.weights: \"auto\" says nothing; give the value that is in force",
        refused("{\"tenant\":\"a\"," + STORE + "}", spec().setting("dtype", "auto")));
  }

  @Test
  void aFormatInTheConfigurationIsForTheExplicitResolver() throws IOException {
    assertEquals(
        temp.resolve("conf/kvasir.json")
            + ": format: counts for the resolver \"explicit\" only, and the engine asks for"
            + " \"tester\"; leave it out",
        refused("{\"tenant\":\"a\",\"format\":{\"x\":1}," + STORE + "}", spec()));
  }

  @Test
  void aFormatThatTheConfigurationDeclaresGivesTheSameNamespace() throws IOException {
    NamespaceManifest resolved = identify("{\"tenant\":\"a\"," + STORE + "}", spec()).deployment();
    Map<String, Object> json = resolved.json();
    Map<?, ?> semantic = (Map<?, ?>) json.get("semantic");
    Map<String, Object> format = new java.util.TreeMap<>();
    ((Map<?, ?>) json.get("representation")).forEach((k, v) -> format.put((String) k, v));
    format.put("config", semantic.get("config"));
    format.put("compute", semantic.get("compute"));
    String declared =
        "{\"tenant\":\"a\",\"format\":"
            + io.kvasir.api.identity.CanonicalJson.text(format)
            + ","
            + STORE
            + "}";
    assertEquals(resolved.id(), identify(declared, spec().resolver("explicit")).deployment().id());
    assertEquals(
        temp.resolve("conf/kvasir.json")
            + ": format: the engine declares a format, too; leave one out",
        refused(declared, spec().resolver("explicit").setting("format", format)));
  }

  @Test
  void anUnsafePolicyNeedsTheOperatorsWord() throws IOException {
    String unsafe = "\"identity\":{\"policy\":\"lmdeploy-v1\",\"model\":\"m\",\"unsafe\":%s},";
    String message =
        refused("{\"tenant\":\"a\"," + unsafe.formatted("false") + STORE + "}", spec());
    assertTrue(
        message.startsWith(temp.resolve("conf/kvasir.json") + ": identity.policy: "), message);
    assertTrue(message.contains("\"unsafe\""), message);
    assertTrue(
        identify("{\"tenant\":\"a\"," + unsafe.formatted("true") + STORE + "}", spec())
            .policy()
            .readOnly());
  }

  @Test
  void aPolicyThatTheStoreDoesNotSupportIsRefused() throws IOException {
    Path file =
        file(
            "{\"tenant\":\"a\",\"identity\":{\"policy\":\"lmdeploy-v1\",\"model\":\"m\",\"unsafe\":true},"
                + STORE
                + "}");
    System.setProperty("shelf.strict", "true");
    try (Kvasir kvasir = KvasirRuntime.open(file, this::connector)) {
      assertEquals(
          file
              + ": identity.policy: the store \"shelf\" does not support \"lmdeploy-v1\"; it"
              + " supports strict",
          assertThrows(KvasirException.class, () -> kvasir.connect(spec().build())).getMessage());
    } finally {
      System.clearProperty("shelf.strict");
    }
  }

  @Test
  void aNewNamespaceBesideOthersOfTheTenantIsSaidOnce() throws IOException {
    List<String> lines = new ArrayList<>();
    Logger log = Logger.getLogger(KvasirRuntime.class.getName());
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            lines.add(record.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    log.addHandler(handler);
    try (Kvasir kvasir =
        KvasirRuntime.open(file("{\"tenant\":\"acme\"," + STORE + "}"), this::connector)) {
      NamespaceManifest first = kvasir.connect(spec().build()).namespace();
      assertEquals(List.of(), lines);
      kvasir.connect(spec().build());
      assertEquals(List.of(), lines);
      NamespaceManifest other =
          kvasir.connect(spec().weights(Weights.named("m", "r8")).build()).namespace();
      assertEquals(1, lines.size(), lines.toString());
      String line = lines.getFirst();
      assertTrue(line.startsWith("namespace %s of \"acme\" is new".formatted(other.id().prefix())));
      assertTrue(line.contains(first.id().prefix()), line);
      assertTrue(line.contains("semantic.weights.name"), line);
    } finally {
      log.removeHandler(handler);
    }
  }

  @Test
  void theCloseEndsConnectorsThenTheStoreAndHappensOnce() throws IOException {
    Kvasir kvasir =
        KvasirRuntime.open(file("{\"tenant\":\"acme\"," + STORE + "}"), this::connector);
    kvasir.connect(spec().build());
    System.clearProperty("shelf.closed");
    kvasir.close();
    assertEquals("connector, store open: true", String.join(", ", events));
    assertEquals("true", System.getProperty("shelf.closed"));
    kvasir.close();
    assertEquals(1, events.size());
    assertEquals(
        "this Kvasir is closed",
        assertThrows(KvasirException.class, () -> kvasir.connect(spec().build())).getMessage());
  }

  @Test
  void theStoreOpensWithItsOwnContextClassLoader() throws IOException {
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    Kvasir.open(file("{\"tenant\":\"acme\"," + STORE + "}")).close();
    assertEquals("plugin:shelf", System.getProperty("shelf.context"));
    assertSame(before, Thread.currentThread().getContextClassLoader());
  }

  private String refused(String json, EngineSpec.Builder spec) {
    return assertThrows(KvasirException.class, () -> identify(json, spec)).getMessage();
  }

  private Identified identify(String json, EngineSpec.Builder spec) throws IOException {
    try (Deployment deployment = Deployment.of(file(json))) {
      return deployment.identify(spec.build());
    }
  }

  private static EngineSpec.Builder spec() {
    return EngineSpec.builder().engine("tester").blockTokens(16);
  }

  private Path file(String json) throws IOException {
    Path file = Files.createDirectories(temp.resolve("conf")).resolve("kvasir.json");
    String plugins = json.endsWith("}") ? ",\"plugins\":{\"directory\":\"../plugins\"}}" : "";
    return Files.writeString(file, json.substring(0, json.length() - 1) + plugins);
  }

  /** A connector that opens its namespace and is good for nothing else. */
  private KvConnector connector(
      Deployment deployment, OpenStore<Store> store, Identified identified) {
    NamespaceManifest manifest = identified.namespace();
    try {
      store.store().open(manifest);
    } catch (StoreException e) {
      throw new AssertionError(e);
    }
    return (KvConnector)
        Proxy.newProxyInstance(
            KvConnector.class.getClassLoader(),
            new Class<?>[] {KvConnector.class},
            (_, method, _) -> {
              if (method.getName().equals("close")) {
                events.add("connector, store open: " + !Boolean.getBoolean("shelf.closed"));
              }
              return method.getName().equals("namespace") ? manifest : null;
            });
  }
}

package io.kvasir.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** What the tests compile: a small engine, and a plugin that looks around. */
final class Sources {
  private static final String RESOLVER_SERVICE = "io.kvasir.api.format.FormatResolver";
  private static final String STORE_SERVICE = "io.kvasir.api.store.StoreProvider";

  private Sources() {}

  /**
   * {@return the engine's jar: saves four blocks, or finds them and compares every byte; with a
   * second argument it holds the store until its input ends}
   */
  static Path engine(Installed installed, Path directory) throws IOException {
    return installed.jar(
        directory.resolve("engine.jar"),
        Map.of(
            "module-info.java",
            """
            module dev.engine {
              requires io.kvasir.api;
              provides io.kvasir.api.format.FormatResolver with dev.engine.Tiny;
            }
            """,
            "dev/engine/Tiny.java",
            "package dev.engine;" + RESOLVER,
            "dev/engine/Main.java",
            ENGINE),
        Map.of(RESOLVER_SERVICE, "dev.engine.Tiny"));
  }

  /** Adds the plugin {@code probe}: the resolver of the engine, and a store that never opens. */
  static void probe(Installed installed, Path plugins) throws IOException {
    Path folder = plugins.resolve("probe");
    installed.jar(
        folder.resolve("lib/probe.jar"),
        Map.of(
            "module-info.java",
            """
            module dev.probe {
              requires io.kvasir.api;
              provides io.kvasir.api.format.FormatResolver with dev.probe.Tiny;
              provides io.kvasir.api.store.StoreProvider with dev.probe.Probe;
            }
            """,
            "dev/probe/Tiny.java",
            "package dev.probe;" + RESOLVER,
            "dev/probe/Probe.java",
            PROBE),
        Map.of(RESOLVER_SERVICE, "dev.probe.Tiny", STORE_SERVICE, "dev.probe.Probe"));
    Files.writeString(
        folder.resolve("plugin.properties"), "plugin.id=probe\nplugin.version=1.0.0\n");
  }

  /**
   * Makes two plugins: {@code words}, a library, and {@code needy}, the example's store, which asks
   * it for a name.
   */
  static void needy(Installed installed, Path words, Path needy) throws IOException {
    Path library =
        installed.jar(
            words.resolve("lib/words.jar"),
            Map.of(
                "module-info.java",
                "module dev.words { exports dev.words; }",
                "dev/words/Words.java",
                """
                package dev.words;
                public final class Words {
                  public static String manifest() { return "manifest.json"; }
                }
                """),
            Map.of());
    Files.writeString(
        words.resolve("plugin.properties"), "plugin.id=words\nplugin.version=1.0.0\n");
    String shelf =
        Files.readString(
                Path.of("../../examples/shelf/src/main/java/io/kvasir/examples/shelf/Shelf.java"))
            .replace("package io.kvasir.examples.shelf;", "package dev.needy;")
            .replace("named(\"shelf\")", "named(\"needy\")")
            .replace("\"manifest.json\"", "dev.words.Words.manifest()");
    if (!shelf.contains("dev.words.Words") || !shelf.contains("named(\"needy\")")) {
      throw new AssertionError("the example has changed:\n" + shelf);
    }
    installed.jar(
        needy.resolve("lib/needy.jar"),
        Map.of(
            "module-info.java",
            """
            module dev.needy {
              requires io.kvasir.api;
              requires dev.words;
              provides io.kvasir.api.store.StoreProvider with dev.needy.Shelf;
            }
            """,
            "dev/needy/Shelf.java",
            shelf),
        Map.of(STORE_SERVICE, "dev.needy.Shelf"),
        library);
    Files.writeString(
        needy.resolve("plugin.properties"),
        "plugin.id=needy\nplugin.version=1.0.0\nplugin.dependencies=words\n");
  }

  private static final String RESOLVER =
      """
      import io.kvasir.api.EngineSpec;
      import io.kvasir.api.format.*;
      import java.util.*;
      public final class Tiny implements FormatResolver {
        public String name() { return "tiny"; }
        public KvFormat resolve(EngineSpec spec) {
          return KvFormat.of(
              ModelConfiguration.of(Map.of("layers", 2)),
              new KvFormat.Compute("bf16", "bf16"),
              spec.engine(),
              "layer-kv-token-head/1",
              List.of(KvGroup.full(0, spec.blockTokens(), List.of(0, 1), 2, 64, Dtype.named("bf16").get())),
              new Shards.KvHead(1));
        }
      }
      """;

  private static final String PROBE =
      """
      package dev.probe;
      import io.kvasir.api.store.*;
      import java.util.List;
      public final class Probe implements StoreProvider {
        public record Config(String how) {}
        public StoreDescriptor descriptor() {
          return StoreDescriptor.named("probe").config(Config.class).build();
        }
        public Store open(StoreContext context) throws StoreException {
          if (context.configuration(Config.class).how().equals("down")) {
            throw new StoreException(StoreException.Kind.UNAVAILABLE, "nobody answers");
          }
          StringBuilder out = new StringBuilder();
          for (String name : List.of("io.kvasir.core.RuntimeProvider", "io.kvasir.cli.Main",
              "io.kvasir.launcher.Main", "org.pf4j.Plugin", "tools.jackson.databind.ObjectMapper",
              "dev.engine.Main")) {
            out.append(name).append(sees(name) ? " visible, " : " hidden, ");
          }
          for (String name : List.of("io.kvasir.api.Kvasir", "java.sql.Connection")) {
            out.append(name).append(sees(name) ? " visible, " : " hidden, ");
          }
          out.append("layer ").append(Probe.class.getModule().isNamed());
          throw new StoreException(StoreException.Kind.CONFIGURATION, out.toString());
        }
        private static boolean sees(String name) {
          ClassLoader context = Thread.currentThread().getContextClassLoader();
          for (ClassLoader loader : List.of(Probe.class.getClassLoader(), context)) {
            try {
              Class.forName(name, false, loader);
              return true;
            } catch (ClassNotFoundException e) {
              // the next
            }
          }
          return false;
        }
      }
      """;

  private static final String ENGINE =
      """
      package dev.engine;
      import io.kvasir.api.*;
      import io.kvasir.api.identity.RequestScope;
      import java.lang.foreign.*;
      import java.nio.file.Path;
      import java.time.Duration;
      import java.util.*;
      public final class Main {
        private static final int BLOCKS = 4;
        public static void main(String[] args) throws Exception {
          int[] tokens = new int[BLOCKS * 16 + 1];
          Arrays.setAll(tokens, i -> i + 100);
          Deadline deadline = Deadline.after(Duration.ofSeconds(20));
          try (Kvasir kvasir = Kvasir.open(Path.of(args[0])); Arena arena = Arena.ofShared()) {
            for (PluginStatus p : kvasir.plugins()) {
              System.out.println("plugin " + p.id() + " " + p.state() + " " + p.detail());
            }
            try (KvConnector cache = kvasir.connect(
                EngineSpec.builder().engine("tiny").modelName("tiny").blockTokens(16).build())) {
              System.out.println("namespace " + cache.namespace().id().hex());
              long bytes = cache.namespace().payloadBytes(0);
              List<List<MemorySegment>> blocks = new ArrayList<>();
              for (int b = 0; b < BLOCKS; b++) {
                blocks.add(List.of(arena.allocate(bytes, 64)));
              }
              SegmentBlocks memory = SegmentBlocks.of(blocks);
              try (KvRequest request = cache.request(RequestScope.NONE, tokens)) {
                PrefixMatch match = request.lookup(deadline).await(deadline);
                int cached = request.load(match, memory, deadline).await(deadline).tokens();
                System.out.println("cached " + cached);
                for (int b = 0; b < BLOCKS; b++) {
                  MemorySegment block = blocks.get(b).get(0);
                  for (long i = 0; i < bytes; i++) {
                    byte right = (byte) (b * 31 + i * 7);
                    if (b * 16 >= cached) {
                      block.set(ValueLayout.JAVA_BYTE, i, right);
                    } else if (block.get(ValueLayout.JAVA_BYTE, i) != right) {
                      throw new AssertionError("block " + b + ", byte " + i);
                    }
                  }
                }
                System.out.println("saved " + request.save(memory, Fence.none()).await(deadline).saved());
              }
              while (!cache.gauges().idle() && !deadline.expired()) {
                Thread.sleep(10); // the lease is let go on a thread of the core's
              }
              System.out.println("idle " + cache.gauges().idle());
              if (args.length > 1) {
                System.in.read(); // holds the store until its input ends
              }
            }
          } catch (KvasirException e) {
            System.out.println("refused " + e.getMessage());
          }
        }
      }
      """;
}

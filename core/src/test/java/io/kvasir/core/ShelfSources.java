package io.kvasir.core;

/** Sources of a plugin whose store keeps the names of its namespaces and no block. */
final class ShelfSources {
  static final String PROVIDER =
      """
      import io.kvasir.api.store.*;
      public final class P implements StoreProvider {
        public record Config(int slots) {}
        public StoreDescriptor descriptor() {
          StoreDescriptor all =
              StoreDescriptor.named("shelf").config(Config.class).enumerate().build();
          return Boolean.getBoolean("shelf.strict")
              ? new StoreDescriptor("shelf", Config.class, all.capabilities(), java.util.List.of("strict"))
              : all;
        }
        public Store open(StoreContext context) throws StoreException {
          int slots = context.configuration(Config.class).slots();
          if (slots == 0) {
            throw new StoreException(StoreException.Kind.UNAVAILABLE, "no slots");
          }
          if (slots < 0) {
            throw new IllegalStateException("broken");
          }
          System.setProperty(
              "shelf.context", Thread.currentThread().getContextClassLoader().getName());
          System.setProperty("shelf.closed", "false");
          return new S();
        }
      }
      """;

  static final String STORE =
      """
      import io.kvasir.api.Deadline;
      import io.kvasir.api.identity.*;
      import io.kvasir.api.store.*;
      import java.time.Instant;
      import java.util.*;
      final class S implements Store {
        private final Map<NamespaceId, NamespaceManifest> all = new LinkedHashMap<>();
        public NamespaceStore open(NamespaceManifest manifest) {
          all.put(manifest.id(), manifest);
          return null;
        }
        public List<NamespaceSummary> namespaces() {
          return all.values().stream()
              .map(
                  m ->
                      new NamespaceSummary(
                          m.id(), m.canonical(), Optional.empty(), m.labels(), 0, 0,
                          Instant.EPOCH, Instant.EPOCH, Optional.empty()))
              .toList();
        }
        public StoreHealth health() { return StoreHealth.up("fine"); }
        public void close() { System.setProperty("shelf.closed", "true"); }
      }
      """;

  static final String RESOLVER =
      """
      import io.kvasir.api.EngineSpec;
      import io.kvasir.api.format.*;
      import java.util.*;
      public final class R implements FormatResolver {
        public String name() { return "tester"; }
        public KvFormat resolve(EngineSpec spec) {
          String dtype = String.valueOf(spec.settings().getOrDefault("dtype", "bf16"));
          KvGroup group =
              new KvGroup(
                  0, GroupKind.FULL, HitRule.ALL, spec.blockTokens(), null, null, null,
                  List.of(0, 1), 2, 4, 4, Dtype.named("bf16").get(), Dtype.named("bf16").get(), null);
          return KvFormat.of(
              ModelConfiguration.of(Map.of("layers", 2)),
              new KvFormat.Compute(dtype, "bf16"),
              spec.engine(),
              "layer-kv-token-head/1",
              List.of(group),
              new Shards.KvHead(1));
        }
      }
      """;

  private ShelfSources() {}
}

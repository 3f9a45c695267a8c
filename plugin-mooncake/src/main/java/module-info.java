/** The plugin {@code mooncake}. */
module io.kvasir.plugin.mooncake {
  requires com.sun.jna;
  requires io.kvasir.api;
  requires static io.kvasir.cuda;
  requires tools.jackson.core;

  // JNA looks at the methods that it binds
  opens io.kvasir.plugin.mooncake to
      com.sun.jna;

  provides io.kvasir.api.store.StoreProvider with
      io.kvasir.plugin.mooncake.MooncakeProvider;
}

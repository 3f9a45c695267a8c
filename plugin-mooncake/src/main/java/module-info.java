/** The plugin {@code mooncake}. */
module io.kvasir.plugin.mooncake {
  requires io.kvasir.api;

  provides io.kvasir.api.store.StoreProvider with
      io.kvasir.plugin.mooncake.MooncakeProvider;
}

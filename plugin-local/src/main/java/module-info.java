/** The embedded default backend: blocks on the local disk. */
module io.kvasir.plugin.local {
  requires io.kvasir.api;
  requires static io.kvasir.cuda;
  requires jdk.unsupported;

  provides io.kvasir.api.store.StoreProvider with
      io.kvasir.plugin.local.LocalProvider;
}

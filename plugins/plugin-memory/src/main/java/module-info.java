/** The test backend: blocks in memory, with faults on demand. */
module io.kvasir.plugin.memory {
  requires transitive io.kvasir.api;
  requires static io.kvasir.cuda;

  exports io.kvasir.plugin.memory;

  provides io.kvasir.api.store.StoreProvider with
      io.kvasir.plugin.memory.MemoryStoreProvider;
}

/** The test backend: blocks in memory, with faults on demand. */
module io.kvasir.plugin.memory {
  requires io.kvasir.api;
}

/** The embedded default backend: blocks on the local disk. */
module io.kvasir.plugin.local {
  requires io.kvasir.api;
}

/** The backend that keeps blocks in Mooncake Store, bound through JNA. */
module io.kvasir.plugin.mooncake {
  requires com.sun.jna;
  requires io.kvasir.api;
}

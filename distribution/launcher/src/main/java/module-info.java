/**
 * Starts the distribution: defines the layer of the core above a boot layer of itself and the API.
 */
module io.kvasir.launcher {
  requires io.kvasir.api;
}

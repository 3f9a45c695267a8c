/** What engines and plugin authors compile against; depends on nothing but the JDK. */
module io.kvasir.api {
  exports io.kvasir.api;
  exports io.kvasir.api.format;
  exports io.kvasir.api.identity;
  exports io.kvasir.api.store;

  uses io.kvasir.api.KvasirProvider;
}

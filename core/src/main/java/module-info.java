/** The runtime that an engine embeds; engines reach it through {@code io.kvasir.api} only. */
@SuppressWarnings("module") // io.kvasir.cli is built later
module io.kvasir.core {
  requires transitive io.kvasir.api;
  requires org.slf4j;
  requires pf4j;
  requires tools.jackson.databind;

  exports io.kvasir.core to
      io.kvasir.cli;
  exports io.kvasir.core.config to
      io.kvasir.cli;
  exports io.kvasir.core.format to
      io.kvasir.cli;
  exports io.kvasir.core.identity;
  exports io.kvasir.core.memory to
      io.kvasir.cli;

  uses io.kvasir.api.format.FormatResolver;
  uses io.kvasir.api.identity.IdentityPolicy;
  uses io.kvasir.api.store.StoreProvider;

  provides io.kvasir.api.KvasirProvider with
      io.kvasir.core.RuntimeProvider;
  provides io.kvasir.api.identity.IdentityPolicy with
      io.kvasir.core.identity.LmdeployV1Policy,
      io.kvasir.core.identity.StrictPolicy;
  provides io.kvasir.api.format.FormatResolver with
      io.kvasir.core.format.ExplicitResolver,
      io.kvasir.core.format.GgufResolver,
      io.kvasir.core.format.HfResolver,
      io.kvasir.core.format.LmdeployResolver;
}

/** The runtime that an engine embeds; engines reach it through {@code io.kvasir.api} only. */
module io.kvasir.core {
  requires transitive io.kvasir.api;
  requires org.slf4j;
  requires pf4j;
  requires tools.jackson.databind;

  exports io.kvasir.core.identity;

  uses io.kvasir.api.identity.IdentityPolicy;

  provides io.kvasir.api.identity.IdentityPolicy with
      io.kvasir.core.identity.LmdeployV1Policy,
      io.kvasir.core.identity.StrictPolicy;
}

/** The runtime that an engine embeds; engines reach it through {@code io.kvasir.api} only. */
module io.kvasir.core {
  requires io.kvasir.api;
  requires org.slf4j;
  requires pf4j;
  requires tools.jackson.databind;
}

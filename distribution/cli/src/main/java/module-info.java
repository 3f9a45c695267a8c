/** The commands of {@code bin/kvasir}. */
module io.kvasir.cli {
  requires info.picocli;
  requires io.kvasir.core;
  requires tools.jackson.databind;
}

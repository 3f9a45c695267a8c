/** The commands of {@code bin/kvasir}. */
module io.kvasir.cli {
  requires info.picocli;
  requires io.kvasir.core;
  requires jdk.management;
  requires tools.jackson.databind;

  exports io.kvasir.cli;

  opens io.kvasir.cli to
      info.picocli;
}

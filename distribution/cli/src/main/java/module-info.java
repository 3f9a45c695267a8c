/** The commands of {@code bin/kvasir}. */
module io.kvasir.cli {
  requires info.picocli;
  requires io.kvasir.conformance;
  requires io.kvasir.core;
  requires java.xml;
  requires org.junit.platform.launcher;
  requires tools.jackson.databind;

  exports io.kvasir.cli;

  opens io.kvasir.cli to
      info.picocli;
  // JUnit makes and calls the contract over the verified store
  opens io.kvasir.cli.verify to
      org.junit.platform.commons;
}

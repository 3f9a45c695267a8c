/** The kit that every backend passes: a backend's tests extend its abstract JUnit classes. */
module io.kvasir.conformance {
  requires transitive io.kvasir.api;
  requires transitive org.junit.jupiter.api;
  requires java.management;
  requires jdk.management;
  requires org.junit.jupiter.params;

  exports io.kvasir.conformance;
  exports io.kvasir.conformance.engine;
  exports io.kvasir.conformance.speed;
  exports io.kvasir.conformance.wrap;

  // JUnit calls what the rules inherit
  opens io.kvasir.conformance to
      org.junit.platform.commons;
}

/** A driver for tests without a GPU, and an engine's memory on it. */
module io.kvasir.cuda.standin {
  requires transitive io.kvasir.conformance;

  exports io.kvasir.cuda.standin;

  // JUnit calls what the tests of a path inherit
  opens io.kvasir.cuda.standin to
      org.junit.platform.commons;
}

/** The engine of the README. */
module io.kvasir.examples.embedding {
  requires transitive io.kvasir.api;

  exports io.kvasir.examples.embedding;
}

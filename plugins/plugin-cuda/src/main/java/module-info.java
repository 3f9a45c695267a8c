/** Pinned memory, streams, gather and scatter for blocks of a GPU's memory, over JCuda. */
module io.kvasir.cuda {
  requires transitive io.kvasir.api;
  requires jcuda;

  exports io.kvasir.cuda;
}

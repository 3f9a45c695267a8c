/** The backend of the README: a file per block. */
module io.kvasir.examples.shelf {
  requires io.kvasir.api;

  provides io.kvasir.api.store.StoreProvider with
      io.kvasir.examples.shelf.Shelf;
}

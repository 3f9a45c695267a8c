package io.kvasir.cuda;

/** The rules of a transfer path, kept by {@link LoopMover}. */
class LoopPathTest extends PathContract {
  LoopPathTest() {
    super(MoverTable.LOOP);
  }
}

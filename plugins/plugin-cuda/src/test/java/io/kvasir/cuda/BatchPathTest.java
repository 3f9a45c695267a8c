package io.kvasir.cuda;

/** The rules of a transfer path, kept by {@link BatchMover}. */
class BatchPathTest extends PathContract {
  BatchPathTest() {
    super(MoverTable.BATCH);
  }
}

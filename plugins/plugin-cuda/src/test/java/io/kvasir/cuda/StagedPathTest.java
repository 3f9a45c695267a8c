package io.kvasir.cuda;

/** The rules of a transfer path, kept by {@link StagedMover}. */
class StagedPathTest extends PathContract {
  StagedPathTest() {
    super(MoverTable.STAGED);
  }
}

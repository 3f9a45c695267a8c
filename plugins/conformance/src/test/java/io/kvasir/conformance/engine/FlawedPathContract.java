package io.kvasir.conformance.engine;

import io.kvasir.api.store.TransferPath;

/** The contract over a path with one flaw; run by {@link BrokenPathsTest}, not by itself. */
class FlawedPathContract extends FakeDevicePathTest {
  static volatile FlawedPath.Flaw flaw = FlawedPath.Flaw.NONE;

  private final TransferPath path = new FlawedPath(super.path(), flaw);

  @Override
  protected TransferPath path() {
    return path;
  }
}

package io.kvasir.cuda;

import java.util.Optional;

/** Does each step, whatever the ones before it came to, and keeps the first failure. */
final class Teardown {
  private CudaException failure;

  void run(CudaThread.Task step) {
    try {
      step.run();
    } catch (CudaException e) {
      if (failure == null) {
        failure = e;
      } else {
        failure.addSuppressed(e);
      }
    }
  }

  Optional<CudaException> failure() {
    return Optional.ofNullable(failure);
  }
}

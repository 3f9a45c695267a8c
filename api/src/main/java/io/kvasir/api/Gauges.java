package io.kvasir.api;

/**
 * What is in use now. All are 0 when nothing runs.
 *
 * @param requests open requests
 * @param transfers transfers without a result
 * @param completions results that nobody took
 * @param leases leases held
 * @param queuedBytes bytes of loads and saves that wait
 * @param frames frames lent to a call of the store
 * @param quarantinedFrames frames of calls that a deadline or a cancel abandoned
 */
public record Gauges(
    int requests,
    int transfers,
    int completions,
    int leases,
    long queuedBytes,
    int frames,
    int quarantinedFrames) {

  /** {@return whether nothing runs and nothing is held} */
  public boolean idle() {
    return equals(new Gauges(0, 0, 0, 0, 0, 0, 0));
  }
}

package io.kvasir.conformance.engine;

/**
 * What a {@link PagedEngine} does, by chance.
 *
 * @param seed of all chance; the store's threads add their own
 * @param operations calls of the connector after which nothing new begins
 * @param atOnce requests that run at once
 * @param documents texts that prompts begin with: fewer make more hits
 * @param abortPerMille chance that a step of a request aborts it; where there is none, no deadline
 *     is short either
 * @param preemptPerMille chance that a step of a request preempts it: it begins anew, later
 * @param updatePerMille chance that a step of the engine begins a weight update
 * @param awaitPerMille chance that a transfer is awaited instead of polled
 */
public record Workload(
    long seed,
    int operations,
    int atOnce,
    int documents,
    int abortPerMille,
    int preemptPerMille,
    int updatePerMille,
    int awaitPerMille) {

  /** {@return a mixture of everything} */
  public static Workload mixed(long seed, int operations) {
    return new Workload(seed, operations, 12, 24, 6, 6, 3, 30);
  }

  /** {@return this workload without aborts, preemptions and updates} */
  public Workload calm() {
    return new Workload(seed, operations, atOnce, documents, 0, 0, 0, 0);
  }
}

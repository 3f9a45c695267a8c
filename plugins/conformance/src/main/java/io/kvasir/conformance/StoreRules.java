package io.kvasir.conformance;

/** Rules on a store; each family of them is an interface of tests that a contract inherits. */
public interface StoreRules {
  /** {@return the store under test, a new one for each test} */
  StoreBench bench();

  /** {@return what this backend can be made to do} */
  StoreFaults faults();
}

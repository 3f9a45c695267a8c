package io.kvasir.conformance;

import io.kvasir.api.identity.IdentityPolicy;

/** The contract over a policy with one flaw; run by {@link BrokenPoliciesTest}, not by itself. */
class FlawedPolicyContract extends IdentityPolicyContract {
  static volatile FlawedPolicy.Flaw flaw = FlawedPolicy.Flaw.NONE;

  @Override
  protected IdentityPolicy policy() {
    return new FlawedPolicy(flaw);
  }
}

package io.kvasir.core.engine;

import io.kvasir.api.identity.IdentityPolicy;
import io.kvasir.conformance.IdentityPolicyContract;
import io.kvasir.core.identity.StrictPolicy;

class StrictPolicyContractTest extends IdentityPolicyContract {
  @Override
  protected IdentityPolicy policy() {
    return new StrictPolicy();
  }
}

package io.kvasir.core.engine;

import io.kvasir.api.identity.IdentityPolicy;
import io.kvasir.conformance.IdentityPolicyContract;
import io.kvasir.core.identity.LmdeployV1Policy;
import java.util.Map;

/** An unsafe policy keeps what the contract asks of one. */
class LmdeployV1PolicyContractTest extends IdentityPolicyContract {
  @Override
  protected IdentityPolicy policy() {
    return new LmdeployV1Policy().configured(Map.of("model", "llama"));
  }

  @Override
  protected boolean unsafe() {
    return true;
  }
}

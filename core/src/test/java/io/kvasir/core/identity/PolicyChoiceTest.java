package io.kvasir.core.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.KvasirException;
import io.kvasir.api.identity.IdentityPolicy;
import io.kvasir.api.identity.NamespaceManifest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class PolicyChoiceTest {
  private static final List<IdentityPolicy> KNOWN =
      List.of(new StrictPolicy(), new LmdeployV1Policy());
  private final NamespaceManifest deployment =
      Vectors.manifest().withLabels(Map.of("model", "Qwen2.5-0.5B-Instruct"));

  private PolicyChoice choice(Map<String, Object> identity) {
    return PolicyChoice.of(identity, KNOWN, deployment);
  }

  @Test
  void bothPoliciesAreServices() {
    assertEquals(
        List.of("lmdeploy-v1", "strict"),
        ServiceLoader.load(IdentityPolicy.class).stream()
            .map(p -> p.get().name())
            .sorted()
            .toList());
  }

  @Test
  void strictIsTheDefaultAndWritable() {
    PolicyChoice choice = choice(Map.of());
    assertEquals("strict", choice.policy().name());
    assertFalse(choice.readOnly());
    assertEquals(Optional.empty(), choice.warning());
    assertEquals(deployment, choice.policy().namespace(deployment));
  }

  @Test
  void lmdeployWorksOnlyIfItMayBeUnsafe() {
    for (Map<String, Object> identity :
        List.<Map<String, Object>>of(
            Map.of("policy", "lmdeploy-v1"),
            Map.of("policy", "lmdeploy-v1", "unsafe", false),
            Map.of("policy", "lmdeploy-v1", "writable", true))) {
      String message = assertThrows(KvasirException.class, () -> choice(identity)).getMessage();
      assertTrue(
          message.startsWith(
              "identity.policy: \"lmdeploy-v1\" gives equal keys to deployments or requests that"
                  + " differ in "),
          message);
      assertTrue(
          message.endsWith(
              "; use \"strict\", or write \"unsafe\": true to let them read each other's blocks"),
          message);
      assertTrue(message.contains(", tenant;"), message);
    }
  }

  @Test
  void lmdeployIsReadOnlyAndWarnsUnlessItIsWritable() {
    PolicyChoice readOnly =
        choice(Map.of("policy", "lmdeploy-v1", "unsafe", true, "cache_prefix", "p"));
    assertTrue(readOnly.readOnly());
    assertEquals(
        "identity.policy: \"lmdeploy-v1\" is unsafe: its keys do not tell apart what differs in "
            + String.join(", ", readOnly.missing())
            + "; blocks are read and none is saved",
        readOnly.warning().orElseThrow());
    assertTrue(
        readOnly.missing().containsAll(List.of("tenant", "semantic.weights", "semantic.config")));
    PolicyChoice writable =
        choice(Map.of("policy", "lmdeploy-v1", "unsafe", true, "writable", true));
    assertFalse(writable.readOnly());
    assertTrue(
        writable
            .warning()
            .orElseThrow()
            .endsWith("; blocks are read and, as \"writable\" is true, saved"));
  }

  @Test
  void badChoicesAreRefused() {
    refused(
        "identity.policy: \"lax\" is not known; there are lmdeploy-v1, strict",
        () -> choice(Map.of("policy", "lax")));
    refused(
        "identity.policy: 7 is not known; there are lmdeploy-v1, strict",
        () -> choice(Map.of("policy", 7)));
    refused(
        "identity.unsafe: \"true\" is not true or false", () -> choice(Map.of("unsafe", "true")));
    refused("identity.writable: 1 is not true or false", () -> choice(Map.of("writable", 1)));
    refused(
        "identity.cache_prefix: the policy \"strict\" has no such setting; it has none",
        () -> choice(Map.of("cache_prefix", "acme")));
  }

  private static void refused(String message, Executable action) {
    assertEquals(message, assertThrows(KvasirException.class, action).getMessage());
  }
}

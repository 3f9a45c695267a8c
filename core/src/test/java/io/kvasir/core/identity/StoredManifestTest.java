package io.kvasir.core.identity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.identity.IdentityException;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StoredManifestTest {
  private final NamespaceManifest manifest = Vectors.manifest();

  private static NamespaceId idOf(byte[] bytes) {
    return NamespaceId.of(Digests.sha256().digest(bytes));
  }

  private static void refused(String message, NamespaceId id, byte[] bytes) {
    assertEquals(
        message.replace("ID", id.prefix()),
        assertThrows(IdentityException.class, () -> StoredManifest.read(id, bytes)).getMessage());
  }

  private void edited(String message, String from, String to) {
    String text = new String(manifest.canonical(), UTF_8);
    assertTrue(text.contains(from), from);
    byte[] bytes = text.replace(from, to).getBytes(UTF_8);
    refused(message, idOf(bytes), bytes);
  }

  @Test
  void whatWasStoredReadsAsTheSameDeployment() {
    NamespaceManifest read = StoredManifest.read(manifest.id(), manifest.canonical());
    assertEquals(manifest, read);
    assertArrayEquals(manifest.canonical(), read.canonical());
    assertEquals("acme", read.tenant());
    assertEquals(manifest.weights(), read.weights());
    assertEquals(manifest.format().groups(), read.format().groups());
  }

  @Test
  void anyFlippedByteIsFound() {
    byte[] stored = manifest.canonical();
    for (int i = 0; i < stored.length; i++) {
      byte[] damaged = stored.clone();
      damaged[i] ^= 1;
      refused(
          "manifest ID: the stored bytes hash to "
              + idOf(damaged).prefix()
              + "; the file is damaged",
          manifest.id(),
          damaged);
    }
  }

  @Test
  void bytesThatAreNotCanonicalAreRefusedThoughTheirHashIsRight() {
    String message = "manifest ID: the stored bytes are not canonical JSON";
    edited(message, "\"tenant\":", "\"tenant\": ");
    edited(message, ":64,", ":64.0,");
    edited(message, "\"acme\"", "\"\\u0061cme\"");
    edited(message, "{\"representation\":", "{\"z\":1,\"representation\":");
  }

  @Test
  void unknownAndMissingNamesAreRefused() {
    edited(
        "manifest ID: zone: unknown name in a manifest",
        "\"tenant\":\"acme\"}",
        "\"tenant\":\"acme\",\"zone\":1}");
    edited(
        "manifest ID: tenant: missing; what does not apply is null", ",\"tenant\":\"acme\"}", "}");
    edited(
        "manifest ID: schema: \"kvasir/namespace/2\" is not \"kvasir/namespace/1\"",
        "kvasir/namespace/1",
        "kvasir/namespace/2");
    edited(
        "manifest ID: representation.groups[0].k_dtype: \"auto\" is not a known data type; there"
            + " are f32, f16, bf16, fp8_e4m3, fp8_e5m2, int8, int4, int2",
        "\"k_dtype\":\"bf16\"",
        "\"k_dtype\":\"auto\"");
    edited("manifest ID: shards.count: 0 is not in 1 … 65536", "\"count\":2", "\"count\":0");
    edited(
        "manifest ID: tenant: the name stands twice", "\"schema\"", "\"tenant\":\"a\",\"schema\"");
  }

  @Test
  void aNamespaceThatAnUnsafePolicySharesIsVerifiedAndNoDeployment() {
    NamespaceManifest shared = manifest.reduced("lmdeploy-v1", Map.of("model", "m"));
    StoredManifest stored = StoredManifest.verify(shared.id(), shared.canonical());
    assertFalse(stored.ofDeployment());
    assertTrue(StoredManifest.verify(manifest.id(), manifest.canonical()).ofDeployment());
    assertEquals("m", stored.json().get("model"));
    refused(
        "manifest ID: schema: \"kvasir/policy/lmdeploy-v1/1\" is not \"kvasir/namespace/1\"",
        shared.id(),
        shared.canonical());
  }

  @Test
  void whatIsNoObjectOrNoJsonIsRefused() {
    refused("manifest ID: [] is not an object", idOf("[]".getBytes(UTF_8)), "[]".getBytes(UTF_8));
    refused("manifest ID: empty", idOf(new byte[0]), new byte[0]);
  }
}

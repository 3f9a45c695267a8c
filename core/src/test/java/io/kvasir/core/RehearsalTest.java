package io.kvasir.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.Kvasir;
import io.kvasir.api.KvasirException;
import io.kvasir.api.identity.Weights;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a rehearsal says is what connecting says: word for word, and with the file's name. */
class RehearsalTest {
  private static final String CONFIGURATION =
      """
      {
        "tenant": "acme",
        "store": {"memory": {}},
        "weights": {"by": "name", "model": "tiny", "name": "r7"},
        "identity": {"policy": "strict"},
        "connector": {"frames": "1MiB"},
        "format": {
          "config": {"layers": 1, "rope": null},
          "compute": {"weights": "f32", "activations": "f32"},
          "engine": "tiny", "layout": "layer-kv-token-head/1", "byte_order": "little",
          "hashing": "kvasir/1", "numerics": "any",
          "groups": [{
            "id": 0, "kind": "full", "hit": "all", "block_tokens": 16, "window": null, "ratio": null,
            "state_bytes": null, "layers": [0], "kv_heads": 2, "k_dim": 64, "v_dim": 64,
            "k_dtype": "f32", "v_dtype": "f32", "quant": null
          }],
          "shards": {"scheme": "kv-head", "count": 1},
          "extensions": {}
        }
      }
      """;

  @TempDir Path temp;

  private Path file(String before, String after) throws IOException {
    String text = CONFIGURATION.replace(before, after);
    if (!before.isEmpty() && text.equals(CONFIGURATION)) {
      throw new AssertionError("nothing to replace: " + before);
    }
    return Files.writeString(temp.resolve("kvasir.json"), text);
  }

  private static EngineSpec tiny() {
    return EngineSpec.builder().engine("tiny").resolver("explicit").blockTokens(16).build();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"strict\" | \"strikt\" | identity.policy: \"strikt\" is not known; there are lmdeploy-v1,"
            + " strict",
        "{\"policy\": \"strict\"} | {\"salt\": 1} | identity.salt: the policy \"strict\" has no"
            + " such setting; it has none",
        "\"r7\" | \"latest\" | weights.name: \"latest\" can mean other weights tomorrow; write a"
            + " commit, a content digest or a name that is never used again, such as \"release-7\"",
        "\"k_dtype\": \"f32\" | \"k_dtype\": \"f33\" | format.groups[0].k_dtype: \"f33\" is not a"
            + " known data type; there are f32, f16, bf16, fp8_e4m3, fp8_e5m2, int8, int4, int2",
        "\"frames\": \"1MiB\" | \"queue\": \"4096\" | connector.queue: 4 KiB is less than a batch"
            + " of 32 blocks of 16384 bytes; give at least 524288, or lower connector.batch-blocks",
        "1MiB | 16KiB | connector.frames: 16384 bytes are too few for frames of 16384 bytes; give"
            + " at least 65536",
      })
  void aWrongConfigurationIsRefusedInTheWordsOfConnecting(
      String before, String after, String message) throws IOException {
    Path file = file(before, after);
    assertEquals(
        file + ": " + message,
        assertThrows(
                KvasirException.class,
                () -> {
                  try (Deployment deployment = Deployment.of(file)) {
                    Rehearsal rehearsal = new Rehearsal(deployment);
                    rehearsal.policy();
                    rehearsal.connect(rehearsal.declared().orElseThrow());
                  }
                })
            .getMessage());
    try (Kvasir kvasir = Kvasir.open(file)) {
      assertEquals(
          file + ": " + message,
          assertThrows(KvasirException.class, () -> kvasir.connect(tiny())).getMessage());
    }
  }

  @Test
  void aSoundConfigurationGivesTheNamespaceOfConnecting() throws IOException {
    Path file = file("", "");
    try (Deployment deployment = Deployment.of(file);
        Kvasir kvasir = Kvasir.open(file)) {
      Rehearsal rehearsal = new Rehearsal(deployment);
      assertEquals("strict", rehearsal.policy());
      assertEquals(Weights.named("tiny", "r7"), rehearsal.weights().orElseThrow());
      assertEquals(
          kvasir.connect(tiny()).namespace().id(), rehearsal.connect(tiny()).namespace().id());
      assertEquals("tiny", rehearsal.declared().orElseThrow().engine());
      assertEquals(16, rehearsal.declared().orElseThrow().blockTokens());
    }
  }

  @Test
  void whatOnlyTheEngineKnowsIsNotMissed() throws IOException {
    Path file = file("\"weights\": {\"by\": \"name\", \"model\": \"tiny\", \"name\": \"r7\"},", "");
    try (Deployment deployment = Deployment.of(file)) {
      Rehearsal rehearsal = new Rehearsal(deployment);
      assertEquals(Optional.empty(), rehearsal.weights());
      assertEquals(
          "tiny",
          rehearsal.connect(rehearsal.declared().orElseThrow()).deployment().format().engine());
    }
    Files.writeString(file, "{\"tenant\":\"acme\",\"store\":{\"memory\":{}}}");
    try (Deployment deployment = Deployment.of(file)) {
      assertEquals(Optional.empty(), new Rehearsal(deployment).declared());
    }
  }

  @Test
  void weightsWithoutAModelAreTheEnginesToComplete() throws IOException {
    Path file = file("\"model\": \"tiny\", \"name\": \"r7\"", "\"name\": \"main\"");
    try (Deployment deployment = Deployment.of(file)) {
      Rehearsal rehearsal = new Rehearsal(deployment);
      assertEquals(
          file
              + ": weights.name: \"main\" can mean other weights tomorrow; write a commit, a"
              + " content digest or a name that is never used again, such as \"release-7\"",
          assertThrows(KvasirException.class, rehearsal::weights).getMessage());
    }
  }
}

package io.kvasir.core.weights;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.KvasirException;
import io.kvasir.api.identity.Weights;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WeightsNamingTest {
  private static final String COMMIT = "7ae557604adf67be50417f59c2c2f167def9a775";

  @TempDir Path directory;

  @Test
  void engineThatNamesItsWeightsWinsOverTheConfiguration() throws IOException {
    Weights own = Weights.full("run-7f", "step-1200");
    EngineSpec spec =
        EngineSpec.builder().engine("e").blockTokens(16).model(model("m")).weights(own).build();
    assertEquals(own, naming(byName("release-7")).name(spec));
    assertEquals(own, naming(byContent()).name(spec));
  }

  @Test
  void contentIsTheDigestOfNamesSizesAndAllBytes() throws Exception {
    Path model = model("m");
    assertEquals(
        "sha256:" + expected(model, "model-00001.safetensors", "model-00002.safetensors"),
        content(model));
  }

  @Test
  void sameWeightsInAnotherDirectoryAreTheSame() throws IOException {
    assertEquals(content(model("a")), content(model("b/c")));
  }

  @Test
  void everyBitOfEveryFileCounts() throws IOException {
    String before = content(model("m"));
    for (String name : List.of("model-00001.safetensors", "model-00002.safetensors")) {
      for (int at : new int[] {0, 70_000, 1_999_999}) {
        Path copy = model("copy-" + name + at);
        byte[] bytes = Files.readAllBytes(copy.resolve(name));
        bytes[at] ^= 1;
        Files.write(copy.resolve(name), bytes);
        assertNotEquals(before, content(copy), name + " at " + at);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "adapter_model.safetensors",
        "adapter_config.json",
        "model.safetensors.index.json",
        "pytorch_model.bin",
        "MODEL.GGUF",
        "a.pt",
        "consolidated.00.pth",
        "original/consolidated.pth"
      })
  void fileThatTheWeightsAreMadeOfCounts(String name) throws IOException {
    Path model = model("m");
    String before = content(model);
    Files.createDirectories(model.resolve(name).getParent());
    Files.writeString(model.resolve(name), "x");
    assertNotEquals(before, content(model));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tokenizer.json",
        "tokenizer.model",
        "tokenizer.bin",
        "config.json",
        "README.md",
        "generation_config.json",
        "training_args.bin",
        "optimizer.pt",
        ".cache/model.safetensors",
        ".model.safetensors"
      })
  void fileThatIsNoWeightsDoesNotCount(String name) throws IOException {
    Path model = model("m");
    String before = content(model);
    Files.createDirectories(model.resolve(name).getParent());
    Files.writeString(model.resolve(name), "x");
    assertEquals(before, content(model));
  }

  @Test
  void renamedFileIsOtherWeights() throws IOException {
    Path model = model("m");
    String before = content(model);
    Files.move(model.resolve("model-00001.safetensors"), model.resolve("model-00003.safetensors"));
    assertNotEquals(before, content(model));
  }

  @Test
  void singleFileMayBeTheModel() throws Exception {
    Path model = model("m");
    Files.writeString(model.resolve("other.gguf"), "x");
    assertEquals(
        "sha256:" + expected(model, "model-00001.safetensors"),
        content(model.resolve("model-00001.safetensors")));
  }

  @Test
  void blobNamesOfASnapshotCountAsTheirDigests() throws Exception {
    Path model = model("m");
    Path repository = directory.resolve("hub/models--acme--tiny");
    Path snapshot = Files.createDirectories(repository.resolve("snapshots/" + COMMIT));
    Files.createDirectories(repository.resolve("blobs"));
    for (String name : List.of("model-00001.safetensors", "model-00002.safetensors")) {
      byte[] bytes = Files.readAllBytes(model.resolve(name));
      Path blob = repository.resolve("blobs/" + HexFormat.of().formatHex(sha256(bytes)));
      Files.write(blob, bytes);
      Files.createSymbolicLink(
          snapshot.resolve(name), Path.of("../../blobs").resolve(blob.getFileName()));
    }
    String hashed = content(model);
    assertEquals(hashed, content(snapshot));
    // the name is the digest, so the bytes are not read: others of the same size go unseen
    for (Path link : List.of(snapshot.resolve("model-00001.safetensors"))) {
      Files.write(link.toRealPath(), new byte[2_000_000]);
    }
    assertEquals(hashed, content(snapshot));
  }

  @Test
  void linkToAFileThatLooksLikeABlobIsReadOutsideACache() throws Exception {
    Path model = model("m");
    Path blobs = Files.createDirectories(directory.resolve("elsewhere/blobs"));
    Path file = model.resolve("model-00001.safetensors");
    Path blob = blobs.resolve("0".repeat(64));
    String before = content(model);
    Files.move(file, blob);
    Files.createSymbolicLink(file, blob);
    assertEquals(before, content(model));
  }

  @Test
  void directoryWithoutWeightsIsRefused() throws IOException {
    Path empty = Files.createDirectories(directory.resolve("empty"));
    Files.writeString(empty.resolve("model.safetensors.index.json"), "{}");
    Files.writeString(empty.resolve("tokenizer.json"), "{}");
    assertMessage(
        "weights of "
            + empty
            + ": no weight file (*.safetensors, *.gguf, *.bin, *.pt, …) is there; give the"
            + " directory that holds them, or name the weights by \"commit\" or \"name\"",
        () -> content(empty));
    Path absent = directory.resolve("absent");
    assertMessage(
        "weights of " + absent + ": there is no such directory; give the model's directory",
        () -> content(absent));
  }

  @Test
  void linkThatLeadsNowhereOrBackIsRefused() throws IOException {
    Path broken = model("m");
    Files.createSymbolicLink(broken.resolve("model-00003.safetensors"), Path.of("gone"));
    assertMessage(
        "weights of "
            + broken
            + ": model-00003.safetensors is no file; download it again, or remove it",
        () -> content(broken));
    Path loop = model("n");
    Files.createSymbolicLink(loop.resolve("again"), loop);
    assertMessage(
        "weights of " + loop + ": again links back to a folder above it; remove the link",
        () -> content(loop));
    Path deep = model("o");
    Files.createDirectories(deep.resolve("1/2/3/4/5/6/7/8"));
    assertMessage(
        "weights of " + deep + ": 1/2/3/4/5/6/7/8 lies deeper than 8 folders; move the weights up",
        () -> content(deep));
  }

  @Test
  void contentNeedsAModelDirectory() {
    assertMessage(
        "weights: named by content, but the engine gives no model directory; give EngineSpec.model,"
            + " EngineSpec.weights, or configure weights by \"commit\" or \"name\"",
        () -> naming(byContent()).name(EngineSpec.builder().engine("e").blockTokens(16).build()));
  }

  @Test
  void samplesStandAsSamplesAndMissWhatLiesBetween() throws IOException {
    WeightsConfig sampled =
        new WeightsConfig(
            WeightsConfig.By.CONTENT,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            true,
            Optional.of(directory.resolve("cache")));
    Path model = model("m");
    String before = content(sampled, model);
    assertTrue(before.startsWith("sampled:"), before);
    assertEquals(before, content(sampled, model("n")));
    assertNotEquals(before.substring(8), content(model).substring(7));
    Path file = model.resolve("model-00001.safetensors");
    byte[] bytes = Files.readAllBytes(file);
    bytes[100_000] ^= 1; // between the first and the second sample
    Files.write(file, bytes);
    assertEquals(before, content(sampled, model));
    bytes[bytes.length - 1] ^= 1;
    Files.write(file, bytes);
    assertNotEquals(before, content(sampled, model));
  }

  @Test
  void commitOfASnapshotIsFoundAndMayNotBeContradicted() throws IOException {
    Path snapshot =
        Files.createDirectories(directory.resolve("models--Qwen--Qwen3-8B/snapshots/" + COMMIT));
    assertEquals(
        Weights.commit("Qwen/Qwen3-8B", COMMIT), naming(byCommit(null)).name(spec(snapshot)));
    assertEquals(
        Weights.commit("Qwen/Qwen3-8B", COMMIT), naming(byCommit(COMMIT)).name(spec(snapshot)));
    String other = "0".repeat(40);
    assertMessage(
        "weights.commit: \"%s\", but the model directory is a snapshot of %s; give the commit of the weights that are loaded, or leave it out"
            .formatted(other, COMMIT),
        () -> naming(byCommit(other)).name(spec(snapshot)));
  }

  @Test
  void commitIsNeverGuessed() throws IOException {
    Path model = model("m");
    assertMessage(
        "weights.commit: missing, and the model directory is no snapshot of a Hugging Face cache;"
            + " write the commit's 40 hexadecimal digits, or name the weights by \"content\"",
        () -> naming(byCommit(null)).name(spec(model)));
    assertMessage(
        "weights.model: missing, and a directory's name is none; write the model's name, such as"
            + " \"Qwen/Qwen3-8B\", or give EngineSpec.modelName",
        () -> naming(byCommit(COMMIT)).name(spec(model)));
    EngineSpec named =
        EngineSpec.builder().engine("e").blockTokens(16).model(model).modelName("acme/m").build();
    assertEquals(Weights.commit("acme/m", COMMIT), naming(byCommit(COMMIT)).name(named));
    assertMessage(
        "weights.commit: \"main\" is not a commit hash; write its 40 hexadecimal digits",
        () -> naming(byCommit("main")).name(named));
  }

  @Test
  void ownNameIsTakenAsItIs() throws IOException {
    assertEquals(
        Weights.named("acme/m", "release-7"), naming(byName("release-7")).name(spec(model("m"))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"main", "latest", "", " ", "refs/heads/x", "Master", "origin/HEAD", "dev"})
  void nameThatCanMeanOtherWeightsTomorrowIsRefused(String name) throws IOException {
    Path model = model("m");
    assertMessage(
        "weights.name: \"%s\" can mean other weights tomorrow; write a commit, a content digest or a name that is never used again, such as \"release-7\""
            .formatted(name),
        () -> naming(byName(name)).name(spec(model)));
  }

  @Test
  void valueThatWouldBeIgnoredIsRefused() {
    assertMessage(
        "commit: does not count where the weights are named by content; leave it out, or write"
            + " \"by\": \"commit\"",
        () -> config(WeightsConfig.By.CONTENT, null, COMMIT, null, false));
    assertMessage(
        "name: does not count where the weights are named by commit; leave it out, or write"
            + " \"by\": \"name\"",
        () -> config(WeightsConfig.By.COMMIT, null, COMMIT, "release-7", false));
    assertMessage(
        "sampled: does not count where the weights are named by name; leave it out, or write"
            + " \"by\": \"content\"",
        () -> config(WeightsConfig.By.NAME, "m", null, "release-7", true));
    assertMessage(
        "model: \"m\" does not count where the weights are named by content; leave it out",
        () -> config(WeightsConfig.By.CONTENT, "m", null, null, false));
    assertMessage(
        "name: missing; write a name that is never used again, such as \"release-7\"",
        () -> config(WeightsConfig.By.NAME, "m", null, null, false));
  }

  private Path model(String name) throws IOException {
    Path model = Files.createDirectories(directory.resolve(name));
    for (int i = 1; i <= 2; i++) {
      byte[] bytes = new byte[2_000_000];
      Arrays.fill(bytes, (byte) i);
      Files.write(model.resolve("model-0000" + i + ".safetensors"), bytes);
    }
    return model;
  }

  private String content(Path model) throws IOException {
    return content(byContent(), model);
  }

  private static String content(WeightsConfig config, Path model) {
    return ((Weights.BaseContent) naming(config).name(spec(model))).content();
  }

  private static WeightsNaming naming(WeightsConfig config) {
    return new WeightsNaming(config);
  }

  private static EngineSpec spec(Path model) {
    return EngineSpec.builder().engine("e").blockTokens(16).model(model).build();
  }

  private WeightsConfig byContent() {
    return config(WeightsConfig.By.CONTENT, null, null, null, false);
  }

  private WeightsConfig byCommit(String commit) {
    return config(WeightsConfig.By.COMMIT, null, commit, null, false);
  }

  private WeightsConfig byName(String name) {
    return config(WeightsConfig.By.NAME, "acme/m", null, name, false);
  }

  private WeightsConfig config(
      WeightsConfig.By by, String model, String commit, String name, boolean sampled) {
    return new WeightsConfig(
        by,
        Optional.ofNullable(model),
        Optional.ofNullable(commit),
        Optional.ofNullable(name),
        sampled,
        Optional.of(directory.resolve("cache")));
  }

  /** The rule of identity.md, written a second time. */
  private static String expected(Path model, String... names) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.write("kvasir/files/1\0".getBytes(StandardCharsets.US_ASCII));
    TreeMap<String, byte[]> sorted = new TreeMap<>();
    for (String name : names) {
      sorted.put(name, Files.readAllBytes(model.resolve(name)));
    }
    for (var e : sorted.entrySet()) {
      out.writeInt(e.getKey().length());
      out.writeBytes(e.getKey());
      out.writeLong(e.getValue().length);
      out.write(sha256(e.getValue()));
    }
    return HexFormat.of().formatHex(sha256(bytes.toByteArray()));
  }

  private static byte[] sha256(byte[] bytes) throws Exception {
    return MessageDigest.getInstance("SHA-256").digest(bytes);
  }

  private static void assertMessage(
      String message, org.junit.jupiter.api.function.Executable action) {
    assertEquals(message, assertThrows(KvasirException.class, action).getMessage());
  }
}

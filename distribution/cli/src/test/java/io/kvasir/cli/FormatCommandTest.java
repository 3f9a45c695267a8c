package io.kvasir.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class FormatCommandTest {
  private static final String LLAMA =
      """
      {"model_type":"llama","num_hidden_layers":4,"hidden_size":512,"num_attention_heads":8,
       "num_key_value_heads":2,"torch_dtype":"bfloat16","rope_theta":500000.0}\
      """;
  private static final String GEMMA =
      """
      {"model_type":"gemma2","num_hidden_layers":4,"hidden_size":512,"num_attention_heads":8,"num_key_value_heads":4,
       "head_dim":64,"sliding_window":512,"torch_dtype":"float16"}\
      """;
  private static final String SPARSE =
      """
      {"model_type":"glm_moe_dsa","num_hidden_layers":2,"hidden_size":512,"num_attention_heads":8,
       "num_key_value_heads":8,"kv_lora_rank":512,"qk_rope_head_dim":64,"dtype":"bfloat16"}\
      """;

  @TempDir private Path directory;
  private Path llama;
  private Path gemma;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void models() throws IOException {
    llama = Files.createDirectories(directory.resolve("llama"));
    Files.writeString(llama.resolve("config.json"), LLAMA);
    gemma = Files.writeString(directory.resolve("gemma.json"), GEMMA);
  }

  private int run(Object... arguments) {
    String[] texts = new String[arguments.length + 1];
    texts[0] = "format";
    for (int i = 0; i < arguments.length; i++) {
      texts[i + 1] = arguments[i].toString();
    }
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return Main.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(texts);
  }

  private JsonNode json(Object... arguments) {
    Object[] more = java.util.Arrays.copyOf(arguments, arguments.length + 1);
    more[arguments.length] = "--json";
    assertEquals(0, run(more), err.toString());
    return JsonMapper.shared().readTree(out.toString());
  }

  @Test
  void groupsHaveTheirBytesPerTokenPerBlockAndPerRank() {
    assertEquals(0, run(llama, "--tp", 2), err.toString());
    assertTrue(
        out.toString()
            .contains(
                """
                group  kind  layers   heads  K   V   window  ratio  K type  V type  scales  bytes/token  bytes/block  per rank
                0      full  4 (0–3)  2      64  64  -       -      bf16    bf16    -       2048         32768        16384
                growing bytes per token    2048
                """),
        out.toString());
    JsonNode page = json(gemma, "--block-tokens", 32, "--tp", 4);
    JsonNode sliding = page.get("groups").get(0);
    assertEquals("sliding", sliding.get("kind").stringValue());
    assertEquals(512, sliding.get("window").intValue());
    assertEquals(2 * 4 * (64 + 64) * 2, sliding.get("bytes_per_token").intValue());
    assertEquals(32 * 2 * 4 * (64 + 64) * 2, sliding.get("bytes_per_block").intValue());
    assertEquals(32 * 2 * (64 + 64) * 2, sliding.get("bytes_per_block_per_rank").intValue());
    assertEquals(2048, page.get("totals").get("growing_bytes_per_token").intValue());
    assertEquals(2048, page.get("totals").get("bounded_bytes_per_token").intValue());
    assertEquals(32, page.get("block_tokens").intValue());
  }

  @Test
  void enginesTypesDecideAndWhatAnEngineWouldSayIsAssumedInWords() {
    JsonNode page = json(llama, "--engine", "vllm", "--kv-cache-dtype", "fp8");
    assertEquals(1024, page.get("totals").get("growing_bytes_per_token").intValue());
    assertEquals("one", page.get("assumed").get("kv_scales").stringValue());
    assertEquals("layer-kv-token-head/1", page.get("assumed").get("layout").stringValue());
    JsonNode given =
        json(
            llama,
            "--engine",
            "vllm",
            "--kv-cache-dtype",
            "fp8",
            "--set",
            "kv_scales=one",
            "--set",
            "layout=a/1");
    assertTrue(given.get("assumed").isEmpty());
    assertEquals("a/1", given.get("identity").get("layout").stringValue());
    JsonNode int4 = json(llama, "--engine", "lmdeploy", "--kv-cache-dtype", "4");
    assertEquals(
        4 * 2 * 2 * (32 + 4), int4.get("totals").get("growing_bytes_per_token").intValue());
    assertEquals("pytorch", int4.get("assumed").get("backend").stringValue());
    assertEquals(
        int4.get("groups"),
        json(llama, "--engine", "lmdeploy", "--kv-cache-dtype", "int4").get("groups"));
    assertEquals(0, run(llama));
    assertTrue(
        out.toString()
            .contains("assumed   {\"layout\":\"layer-kv-token-head/1\"}; an engine has to say"),
        out.toString());
  }

  @Test
  void entriesOfEnginesHaveTheirOwnSizes() throws IOException {
    Path sparse = Files.writeString(directory.resolve("sparse.json"), SPARSE);
    JsonNode plain = json(sparse).get("totals");
    assertEquals(2 * 576 * 2, plain.get("growing_bytes_per_token").intValue());
    assertEquals(2 * 128 * 2, plain.get("index_bytes_per_token").intValue());
    JsonNode vllm = json(sparse, "--engine", "vllm").get("totals");
    assertEquals(2 * 656, vllm.get("growing_bytes_per_token").intValue());
    assertEquals(2 * 132, vllm.get("index_bytes_per_token").intValue());
    JsonNode asked = json(sparse, "--engine", "vllm", "--kv-cache-dtype", "bfloat16").get("totals");
    assertEquals(2 * 576 * 2, asked.get("growing_bytes_per_token").intValue());
    JsonNode lmdeploy =
        json(sparse, "--engine", "lmdeploy", "--kv-cache-dtype", "fp8").get("totals");
    assertEquals(2 * 656, lmdeploy.get("growing_bytes_per_token").intValue());
    JsonNode sglang =
        json(sparse, "--engine", "sglang", "--kv-cache-dtype", "fp8_e4m3").get("totals");
    assertEquals(2 * 656, sglang.get("growing_bytes_per_token").intValue());
    assertEquals(2, run(llama, "--engine", "jlama"));
    assertEquals(
        "kvasir: settings.kv_cache_dtype: \"auto\" is none of F32, BF16, f32, bf16\n",
        err.toString());
    assertEquals(
        4096,
        json(llama, "--engine", "jlama", "--kv-cache-dtype", "F32")
            .get("totals")
            .get("growing_bytes_per_token")
            .intValue());
  }

  @Test
  void identityOfAFileIsWhatItsFieldsMean() throws IOException {
    JsonNode before = json(llama).get("identity");
    assertEquals(
        500000, before.get("configuration").get("rope_parameters").get("rope_theta").intValue());
    Files.writeString(
        llama.resolve("config.json"),
        LLAMA.replace("\"rope_theta\":500000.0", "\"rope_parameters\":{\"rope_theta\":5e5}"));
    assertEquals(before, json(llama).get("identity"));
    Files.writeString(llama.resolve("config.json"), LLAMA.replace("500000.0", "500001"));
    assertTrue(!before.get("config").equals(json(llama).get("identity").get("config")));
  }

  @Test
  void twoModelsAreComparedFieldByField() throws IOException {
    Path other =
        Files.writeString(directory.resolve("other.json"), LLAMA.replace("500000.0", "10000"));
    assertEquals(0, run(llama, other), err.toString());
    assertTrue(
        out.toString()
            .endsWith(
                """
                left and right differ in 1 field
                  semantic.config.rope_parameters.rope_theta
                    left: 500000
                    right: 10000
                """),
        out.toString());
    JsonNode both = json(llama, llama);
    assertEquals(2, both.get("models").size());
    assertEquals(0, both.get("differences").get("fields").size());
  }

  @Test
  void modelThatIsNotUnderstoodIsRefusedInWords() throws IOException {
    Path file =
        Files.writeString(directory.resolve("x.json"), LLAMA.replace("llama", "mamba-of-mine"));
    assertEquals(2, run(file));
    assertTrue(
        err.toString().startsWith("kvasir: config.json: model_type: \"mamba-of-mine\" is none of"),
        err.toString());
    assertEquals(2, run(directory.resolve("nothing")));
    assertTrue(err.toString().contains("there is no such file"), err.toString());
    assertEquals(2, run(llama, "--kv-cache-dtype", "fp9"));
    assertTrue(err.toString().contains("\"fp9\" is none of bfloat16"), err.toString());
    assertEquals(2, run(llama, "--tp", 3));
    assertEquals(
        "kvasir: groups[0].kv_heads: 2 is not divisible by the 3 shards\n", err.toString());
  }
}

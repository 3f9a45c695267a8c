package io.kvasir.examples.jlama;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.StringJoiner;

/**
 * Writes a Llama model of random weights with a byte-level tokenizer, because no package registry
 * ships a small causal language model. The same seed and shape give the same bytes on every
 * machine.
 *
 * <p>The weights are scaled so that attention decides the output: sharp scores, strong values and a
 * weak residual. With plain initialisation the logits would hardly depend on the prefix, and a
 * wrong KV block would go unnoticed.
 */
public final class RandomLlama {

  /** Sizes of a Llama, as {@code config.json} names them. */
  public record Shape(
      int context, int hidden, int intermediate, int heads, int kvHeads, int layers, int vocab) {

    /** 0.5 M parameters, 2 MB: for end-to-end tests. */
    public static final Shape SMALL = new Shape(4096, 128, 256, 4, 2, 3, 288);

    /** 23 M parameters, 91 MB: its prefill is slow enough to measure what a hit saves. */
    public static final Shape MEDIUM = new Shape(4096, 512, 1408, 8, 2, 8, 320);

    public Shape {
      if (hidden % heads != 0 || heads % kvHeads != 0) {
        throw new IllegalArgumentException(
            ("hidden %d, heads %d, kvHeads %d: heads must divide hidden, and kvHeads must divide"
                    + " heads")
                .formatted(hidden, heads, kvHeads));
      }
      if (vocab < FIRST_BYTE + 256) {
        throw new IllegalArgumentException(
            "vocab %d is too small: 3 special tokens and 256 bytes need %d"
                .formatted(vocab, FIRST_BYTE + 256));
      }
    }

    int kvWidth() {
      return kvHeads * (hidden / heads);
    }
  }

  private static final int FIRST_BYTE = 3;

  private record Tensor(String name, List<Integer> shape, double deviation) {
    int elements() {
      return shape.stream().reduce(1, Math::multiplyExact);
    }
  }

  private RandomLlama() {}

  /**
   * Writes {@code config.json}, {@code tokenizer.json}, {@code tokenizer_config.json} and {@code
   * model.safetensors} (F32) into the directory, which is created if it is not there.
   */
  public static Path write(Path directory, long seed, Shape shape) throws IOException {
    Files.createDirectories(directory);
    Files.writeString(directory.resolve("config.json"), config(shape));
    Files.writeString(directory.resolve("tokenizer.json"), tokenizer(shape));
    Files.writeString(directory.resolve("tokenizer_config.json"), "{\"legacy\":false}\n");
    writeWeights(directory.resolve("model.safetensors"), seed, tensors(shape));
    return directory;
  }

  private static List<Tensor> tensors(Shape s) {
    List<Tensor> tensors = new ArrayList<>();
    tensors.add(new Tensor("model.embed_tokens.weight", List.of(s.vocab, s.hidden), 0.3));
    for (int layer = 0; layer < s.layers; layer++) {
      String attention = "model.layers." + layer + ".self_attn.";
      String mlp = "model.layers." + layer + ".mlp.";
      tensors.add(matrix(attention + "q_proj.weight", s.hidden, s.hidden, 2.5));
      tensors.add(matrix(attention + "k_proj.weight", s.kvWidth(), s.hidden, 2.5));
      tensors.add(matrix(attention + "v_proj.weight", s.kvWidth(), s.hidden, 2.0));
      tensors.add(matrix(attention + "o_proj.weight", s.hidden, s.hidden, 2.0));
      tensors.add(matrix(mlp + "gate_proj.weight", s.intermediate, s.hidden, 1.0));
      tensors.add(matrix(mlp + "up_proj.weight", s.intermediate, s.hidden, 1.0));
      tensors.add(matrix(mlp + "down_proj.weight", s.hidden, s.intermediate, 1.0));
      tensors.add(norm("model.layers." + layer + ".input_layernorm.weight", s.hidden));
      tensors.add(norm("model.layers." + layer + ".post_attention_layernorm.weight", s.hidden));
    }
    tensors.add(norm("model.norm.weight", s.hidden));
    tensors.add(matrix("lm_head.weight", s.vocab, s.hidden, 1.0));
    return tensors;
  }

  private static Tensor matrix(String name, int rows, int columns, double gain) {
    return new Tensor(name, List.of(rows, columns), gain / Math.sqrt(columns));
  }

  private static Tensor norm(String name, int width) {
    return new Tensor(name, List.of(width), 0);
  }

  private static void writeWeights(Path file, long seed, List<Tensor> tensors) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      byte[] header = header(tensors);
      writeFully(
          channel,
          ByteBuffer.allocate(8 + header.length)
              .order(ByteOrder.LITTLE_ENDIAN)
              .putLong(header.length)
              .put(header)
              .flip());
      SplittableRandom random = new SplittableRandom(seed);
      for (Tensor tensor : tensors) {
        int elements = tensor.elements();
        ByteBuffer values = ByteBuffer.allocate(4 * elements).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < elements; i++) {
          values.putFloat(tensor.deviation == 0 ? 1f : uniform(random, tensor.deviation));
        }
        writeFully(channel, values.flip());
      }
    }
  }

  /** Uniform, not Gaussian: {@code nextDouble} is specified to the bit, and it is faster. */
  private static float uniform(SplittableRandom random, double deviation) {
    return (float) ((2 * random.nextDouble() - 1) * Math.sqrt(3) * deviation);
  }

  private static byte[] header(List<Tensor> tensors) {
    StringJoiner entries = new StringJoiner(",", "{", "}");
    long offset = 0;
    for (Tensor tensor : tensors) {
      long end = offset + 4L * tensor.elements();
      StringJoiner shape = new StringJoiner(",", "[", "]");
      for (int dimension : tensor.shape()) {
        shape.add(Integer.toString(dimension));
      }
      entries.add(
          "\"%s\":{\"dtype\":\"F32\",\"shape\":%s,\"data_offsets\":[%d,%d]}"
              .formatted(tensor.name, shape, offset, end));
      offset = end;
    }
    String json = entries.toString();
    String aligned = json + " ".repeat((8 - json.length() % 8) % 8);
    return aligned.getBytes(StandardCharsets.US_ASCII);
  }

  private static String config(Shape s) {
    return """
    {
      "architectures": ["LlamaForCausalLM"],
      "model_type": "llama",
      "hidden_act": "silu",
      "bos_token_id": 1,
      "eos_token_id": 2,
      "rms_norm_eps": 1e-5,
      "rope_theta": 10000.0,
      "max_position_embeddings": %d,
      "hidden_size": %d,
      "intermediate_size": %d,
      "num_attention_heads": %d,
      "num_key_value_heads": %d,
      "num_hidden_layers": %d,
      "vocab_size": %d,
      "torch_dtype": "float32",
      "tie_word_embeddings": false
    }
    """
        .formatted(s.context, s.hidden, s.intermediate, s.heads, s.kvHeads, s.layers, s.vocab);
  }

  /** One token per byte; ids beyond them are padding that no text produces. */
  private static String tokenizer(Shape s) {
    StringJoiner vocab = new StringJoiner(",", "{", "}");
    vocab.add("\"<unk>\":0").add("\"<s>\":1").add("\"</s>\":2");
    for (int value = 0; value < 256; value++) {
      vocab.add("\"<0x%02X>\":%d".formatted(value, FIRST_BYTE + value));
    }
    for (int id = FIRST_BYTE + 256; id < s.vocab; id++) {
      vocab.add("\"<unused%d>\":%d".formatted(id, id));
    }
    return """
    {
      "added_tokens": [
        {"id": 0, "content": "<unk>", "special": true},
        {"id": 1, "content": "<s>", "special": true},
        {"id": 2, "content": "</s>", "special": true}
      ],
      "model": {
        "type": "BPE",
        "unk_token": "<unk>",
        "fuse_unk": false,
        "byte_fallback": true,
        "vocab": %s,
        "merges": []
      }
    }
    """
        .formatted(vocab);
  }

  private static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }
}

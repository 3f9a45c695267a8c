package io.kvasir.core.weights;

import io.kvasir.api.KvasirException;
import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Which files of a model are its weights: every file with the suffix of a weight format, whatever
 * engine reads that format, and the JSON that says how shards or an adapter are put together. Files
 * in folders count under their path from the model's directory. A file too many only separates; one
 * too few would join weights that differ.
 *
 * <p>Not weights: tokenizers, configurations (they are identity of their own), what a trainer left
 * behind, and everything whose name or folder begins with a dot.
 */
final class WeightFiles {
  private static final Set<String> SUFFIXES =
      Set.of(
          "safetensors",
          "bin",
          "gguf",
          "ggml",
          "pt",
          "pth",
          "ckpt",
          "npz",
          "npy",
          "h5",
          "msgpack",
          "onnx",
          "onnx_data",
          "weight",
          "weights");
  private static final Set<String> NOT_WEIGHTS =
      Set.of(
          "tokenizer.bin",
          "training_args.bin",
          "optimizer.bin",
          "optimizer.pt",
          "scheduler.bin",
          "scheduler.pt",
          "rng_state.pth");
  private static final String INDEX = ".index.json";
  private static final String ADAPTER = "adapter_config.json";
  private static final int MAX_DEPTH = 8;
  private static final int MAX_FILES = 1 << 16;

  private WeightFiles() {}

  /**
   * A file of weights.
   *
   * @param name path from the model's directory, with {@code /} between folders
   * @param path where it lies
   */
  record File(String name, Path path) {}

  /**
   * {@return the weight files of a model, in no order}
   *
   * @param model a directory, or a single file such as a GGUF
   */
  static List<File> of(Path model) throws IOException {
    if (Files.isRegularFile(model)) {
      return List.of(new File(model.getFileName().toString(), model));
    }
    if (!Files.isDirectory(model)) {
      throw new KvasirException(
          "weights of %s: there is no such directory; give the model's directory".formatted(model));
    }
    Collector found = new Collector(model);
    Files.walkFileTree(model, EnumSet.of(FileVisitOption.FOLLOW_LINKS), MAX_DEPTH, found);
    if (found.files.stream().allMatch(f -> f.name().endsWith(".json"))) {
      throw new KvasirException(
          ("weights of %s: no weight file (*.safetensors, *.gguf, *.bin, *.pt, …) is there; give"
                  + " the directory that holds them, or name the weights by \"commit\" or \"name\"")
              .formatted(model));
    }
    return List.copyOf(found.files);
  }

  private static boolean isWeights(String fileName) {
    String name = fileName.toLowerCase(Locale.ROOT);
    return !NOT_WEIGHTS.contains(name)
        && (name.endsWith(INDEX)
            || name.equals(ADAPTER)
            || SUFFIXES.contains(name.substring(name.lastIndexOf('.') + 1)));
  }

  private static final class Collector extends SimpleFileVisitor<Path> {
    private final Path model;
    private final List<File> files = new ArrayList<>();

    Collector(Path model) {
      this.model = model;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
      boolean hidden = !directory.equals(model) && hidden(directory);
      return hidden ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      if (hidden(file)) {
        return FileVisitResult.CONTINUE;
      }
      if (attributes.isDirectory()) {
        throw refused(
            file, "lies deeper than %d folders; move the weights up".formatted(MAX_DEPTH));
      }
      if (isWeights(file.getFileName().toString())) {
        if (!attributes.isRegularFile()) { // a link that leads nowhere is not followed
          throw refused(file, "is no file; download it again, or remove it");
        }
        if (files.size() == MAX_FILES) {
          throw refused(
              file, "is one of more than %d files; is this a model?".formatted(MAX_FILES));
        }
        files.add(new File(nameOf(file), file));
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
      if (e instanceof FileSystemLoopException) {
        throw refused(file, "links back to a folder above it; remove the link");
      }
      throw e;
    }

    private KvasirException refused(Path file, String why) {
      return new KvasirException("weights of %s: %s %s".formatted(model, nameOf(file), why));
    }

    private String nameOf(Path file) {
      return model.relativize(file).toString().replace(file.getFileSystem().getSeparator(), "/");
    }

    private static boolean hidden(Path path) {
      return path.getFileName().toString().startsWith(".");
    }
  }
}

package io.kvasir.core.weights;

import io.kvasir.api.KvasirException;
import io.kvasir.api.store.Setting;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * How base weights are named where the engine does not name them.
 *
 * @param by what names them
 * @param model the model that a commit or a name belongs to
 * @param commit the commit, where they are named by it
 * @param name the name, where they are named by it
 * @param sampled whether a part of each file stands for all of it
 * @param cacheDirectory where digests of files are kept, so that a restart need not read them again
 */
public record WeightsConfig(
    @Setting(
            value = "what names the weights: their content, a commit or a name",
            byDefault = "content")
        By by,
    @Setting("the model that the commit or the name belongs to, such as \"Qwen/Qwen3-8B\"")
        Optional<String> model,
    @Setting("commit of the model's repository: 40 hexadecimal digits") Optional<String> commit,
    @Setting("a name that is never given to other weights, such as \"release-7\"")
        Optional<String> name,
    @Setting(
            value = "read 512 KiB of each file instead of all of it; a change elsewhere is missed",
            byDefault = "false")
        boolean sampled,
    @Setting("where digests of weight files are kept; kvasir/weights in the user's cache directory")
        Optional<Path> cacheDirectory) {

  /** What names the weights. */
  public enum By {
    /** All bytes of all weight files. */
    CONTENT,
    /** A commit of a model repository. */
    COMMIT,
    /** An operator's own immutable name. */
    NAME
  }

  /** Refuses values that another value makes meaningless: one of the two would be ignored. */
  public WeightsConfig {
    only(by, By.COMMIT, "commit", commit.isPresent());
    only(by, By.NAME, "name", name.isPresent());
    only(by, By.CONTENT, "sampled", sampled);
    if (by == By.CONTENT && model.isPresent()) {
      throw new KvasirException(
          "model: \"%s\" does not count where the weights are named by content; leave it out"
              .formatted(model.get()));
    }
    if (by == By.NAME && name.isEmpty()) {
      throw new KvasirException(
          "name: missing; write a name that is never used again, such as \"release-7\"");
    }
  }

  /** {@return the default: named by content, digests in the user's cache directory} */
  public static WeightsConfig byContent() {
    return new WeightsConfig(
        By.CONTENT, Optional.empty(), Optional.empty(), Optional.empty(), false, Optional.empty());
  }

  private static void only(By by, By right, String component, boolean given) {
    if (given && by != right) {
      throw new KvasirException(
          "%s: does not count where the weights are named by %s; leave it out, or write \"by\": \"%s\""
              .formatted(component, wire(by), wire(right)));
    }
  }

  private static String wire(By by) {
    return by.name().toLowerCase(Locale.ROOT);
  }
}

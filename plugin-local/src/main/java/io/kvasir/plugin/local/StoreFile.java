package io.kvasir.plugin.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The file that makes a directory a store: the version of its format, and the id that all of its
 * files carry.
 */
final class StoreFile {
  static final String NAME = "store";
  private static final Pattern FORM =
      Pattern.compile("kvasir-local ([0-9]{1,9})\n(?:id ([0-9a-f]{16})\n)?(?s:.*)");
  private static final Set<String> NOT_OURS_BUT_FINE = Set.of(DirectoryLock.NAME, "lost+found");

  private StoreFile() {}

  /** Leaves a directory alone that is neither empty nor a store. */
  static void refuseForeign(Directory directory) throws IOException {
    List<String> names = directory.names();
    if (names.contains(NAME)) {
      return;
    }
    for (String name : names) {
      if (!NOT_OURS_BUT_FINE.contains(name) && !name.endsWith(Directory.TEMPORARY)) {
        throw new FormatError(
            "store directory %s: it holds \"%s\" and no file \"store\", so it is no store of Kvasir; configure an empty directory, or restore the file; nothing has been changed"
                .formatted(directory.describe(""), name));
      }
    }
  }

  /** The store's id; an empty directory becomes a store. */
  static long open(Directory directory) throws IOException {
    refuseForeign(directory);
    return isThere(directory) ? read(directory) : create(directory);
  }

  /** Whether the directory is a store. */
  static boolean isThere(Directory directory) throws IOException {
    return directory.names().contains(NAME);
  }

  /** The id of a store that is there. */
  static long read(Directory directory) throws IOException {
    String path = directory.describe(NAME);
    String text = new String(directory.read(NAME), StandardCharsets.ISO_8859_1);
    Matcher form = FORM.matcher(text);
    if (form.matches() && Integer.parseInt(form.group(1)) != Layout.VERSION) {
      throw new FormatError(
          "store file %s: format version %s, this release reads %d; open it with the release that wrote it, or configure an empty directory; nothing has been changed"
              .formatted(path, form.group(1), Layout.VERSION));
    }
    if (!form.matches() || form.group(2) == null) {
      throw new FormatError(
          "store file %s: \"%s\" is not \"kvasir-local %d\" and an id; restore the file, or configure an empty directory; nothing has been changed"
              .formatted(path, firstLine(text), Layout.VERSION));
    }
    return HexFormat.fromHexDigitsToLong(form.group(2));
  }

  private static long create(Directory directory) throws IOException {
    long id = new SecureRandom().nextLong();
    String text = "kvasir-local %d\nid %016x\n".formatted(Layout.VERSION, id);
    directory.publish(NAME, text.getBytes(StandardCharsets.US_ASCII));
    return id;
  }

  private static String firstLine(String text) {
    String line = text.lines().findFirst().orElse("");
    return line.length() > 40 ? line.substring(0, 40) + "…" : line;
  }
}

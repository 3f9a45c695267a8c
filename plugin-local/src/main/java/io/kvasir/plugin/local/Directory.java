package io.kvasir.plugin.local;

import java.io.IOException;
import java.util.List;

/**
 * The one directory of a store. What {@link #create}, {@link #rename} and {@link #delete} did to
 * names is durable only after {@link #force}. Names are plain: no separators, nothing that a user
 * typed.
 */
interface Directory {

  /** Opens a file that is there. */
  BlockFile open(String name) throws IOException;

  /** Creates an empty file; one of that name is replaced. */
  BlockFile create(String name) throws IOException;

  List<String> names() throws IOException;

  byte[] read(String name) throws IOException;

  /** Writes a whole small file, its bytes and size flushed, its name not. */
  void write(String name, byte[] bytes) throws IOException;

  /** Replaces {@code to} atomically. */
  void rename(String from, String to) throws IOException;

  /** Absent is no error. */
  void delete(String name) throws IOException;

  /** Makes names durable. */
  void force() throws IOException;

  /** Bytes that the file system would still give to this process. */
  long free() throws IOException;

  /** The name as a person finds it. */
  String describe(String name);

  /**
   * Makes {@code name} hold {@code bytes}, durably: a crash leaves the old content or the new,
   * never a mixture.
   */
  default void publish(String name, byte[] bytes) throws IOException {
    write(name + TEMPORARY, bytes);
    rename(name + TEMPORARY, name);
    force();
  }

  /**
   * Ends the name of a file that is not published yet; what a crash leaves under such a name is
   * deleted at open.
   */
  String TEMPORARY = ".tmp";
}

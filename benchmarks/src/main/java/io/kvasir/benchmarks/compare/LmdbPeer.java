package io.kvasir.benchmarks.compare;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.Blocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.Txn;

/** LMDB: one file, mapped; one writer at a time. */
final class LmdbPeer implements Peer {
  private static final long MAP = 64L << 30;

  private final Path directory;
  private final boolean sync;
  private Env<ByteBuffer> env;
  private Dbi<ByteBuffer> blocks;

  /**
   * Opens an environment.
   *
   * @param sync whether each commit is flushed before it returns
   */
  LmdbPeer(Path directory, boolean sync) {
    this.directory = directory;
    this.sync = sync;
    reopen();
  }

  @Override
  public void reopen() {
    EnvFlags[] flags = sync ? new EnvFlags[0] : new EnvFlags[] {EnvFlags.MDB_NOSYNC};
    env = Env.create().setMapSize(MAP).setMaxDbs(1).open(directory.toFile(), flags);
    blocks = env.openDbi("blocks", DbiFlags.MDB_CREATE);
  }

  @Override
  public void put(Blocks from) {
    try (Txn<ByteBuffer> txn = env.txnWrite()) {
      for (int i = 0; i < from.count(); i++) {
        blocks.put(txn, key(from.keys(), i), from.frame(i).payload().asByteBuffer());
      }
      txn.commit();
    }
  }

  @Override
  public void get(Blocks into) throws IOException {
    try (Txn<ByteBuffer> txn = env.txnRead()) {
      for (int i = 0; i < into.count(); i++) {
        ByteBuffer value = blocks.get(txn, key(into.keys(), i));
        if (value == null) {
          throw new IOException("LMDB has no block %d of %s".formatted(i, into.keys()));
        }
        into.frame(i).payload().asByteBuffer().put(value);
      }
    }
  }

  @Override
  public int prefix(BlockKeys keys) {
    try (Txn<ByteBuffer> txn = env.txnRead()) {
      int found = 0;
      while (found < keys.count() && blocks.get(txn, key(keys, found)) != null) {
        found++;
      }
      return found;
    }
  }

  private static ByteBuffer key(BlockKeys keys, int block) {
    return ByteBuffer.allocateDirect(32).put(keys.hash(block)).flip();
  }

  @Override
  public void flush() {
    env.sync(true);
  }

  /** Pages that are mapped stay in the page cache. */
  @Override
  public void release() {
    env.close();
  }

  @Override
  public void close() {
    env.close();
  }
}

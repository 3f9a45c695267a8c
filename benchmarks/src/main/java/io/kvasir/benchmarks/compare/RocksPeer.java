package io.kvasir.benchmarks.compare;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.Blocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.ByteBufferGetStatus;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** RocksDB with values in blob files, as its makers advise for large ones; nothing compressed. */
final class RocksPeer implements Peer {
  static {
    RocksDB.loadLibrary();
  }

  private final boolean log;
  private final Options options;
  private final WriteOptions writes;
  private final ReadOptions reads = new ReadOptions();
  private final RocksDB db;

  /**
   * Opens a database.
   *
   * @param log whether each write is in a write-ahead log that is synced before it returns
   */
  RocksPeer(Path directory, boolean log) throws RocksDBException {
    this.log = log;
    this.options =
        new Options()
            .setCreateIfMissing(true)
            .setEnableBlobFiles(true)
            .setMinBlobSize(4096)
            .setBlobFileSize(256L << 20)
            .setCompressionType(CompressionType.NO_COMPRESSION)
            .setBlobCompressionType(CompressionType.NO_COMPRESSION)
            .setWriteBufferSize(128L << 20)
            .setMaxWriteBufferNumber(4)
            .setMaxBackgroundJobs(2);
    this.writes = new WriteOptions().setDisableWAL(!log).setSync(log);
    this.db = RocksDB.open(options, directory.toString());
  }

  @Override
  public void put(Blocks from) throws RocksDBException {
    try (WriteBatch batch = new WriteBatch()) {
      for (int i = 0; i < from.count(); i++) {
        batch.put(key(from.keys(), i), from.frame(i).payload().asByteBuffer());
      }
      db.write(writes, batch);
    }
  }

  @Override
  public void get(Blocks into) throws IOException, RocksDBException {
    List<ByteBuffer> keys = new ArrayList<>();
    List<ByteBuffer> values = new ArrayList<>();
    for (int i = 0; i < into.count(); i++) {
      keys.add(key(into.keys(), i));
      values.add(into.frame(i).payload().asByteBuffer());
    }
    for (ByteBufferGetStatus got : db.multiGetByteBuffers(reads, keys, values)) {
      if (got.status.getCode() != Status.Code.Ok
          || got.requiredSize != into.keys().payloadBytes()) {
        throw new IOException(
            "RocksDB has not all of " + into.keys() + ": " + got.status.getCode());
      }
    }
  }

  @Override
  public int prefix(BlockKeys keys) {
    int found = 0;
    while (found < keys.count() && db.keyExists(keys.hash(found))) {
      found++;
    }
    return found;
  }

  private static ByteBuffer key(BlockKeys keys, int block) {
    return ByteBuffer.allocateDirect(32).put(keys.hash(block)).flip();
  }

  @Override
  public void flush() throws RocksDBException {
    if (!log) {
      try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
        db.flush(flush);
      }
    }
  }

  @Override
  public void close() {
    db.close();
    reads.close();
    writes.close();
    options.close();
  }
}

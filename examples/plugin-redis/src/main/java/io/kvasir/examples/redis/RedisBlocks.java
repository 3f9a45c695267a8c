package io.kvasir.examples.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.SealedBlock;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.params.SetParams;

/** The blocks of one namespace, a batch per round trip; each value proves itself. */
record RedisBlocks(Connections connections, String prefix) implements NamespaceStore {
  private static final SetParams IF_ABSENT = new SetParams().nx();

  private byte[] key(BlockKeys keys, int block) {
    return (prefix + keys.flatKey(block)).getBytes(UTF_8);
  }

  private byte[][] keys(BlockKeys keys) {
    byte[][] out = new byte[keys.count()][];
    for (int i = 0; i < out.length; i++) {
      out[i] = key(keys, i);
    }
    return out;
  }

  @Override
  public BlockLease lookup(BlockKeys keys, Deadline deadline) throws StoreException {
    List<Response<Boolean>> there = new ArrayList<>();
    connections.call(
        deadline,
        jedis -> {
          Pipeline pipeline = jedis.pipelined();
          for (byte[] key : keys(keys)) {
            there.add(pipeline.exists(key));
          }
          pipeline.sync();
          return null;
        });
    return BlockLease.hint(keys, block -> there.get(block).get());
  }

  @Override
  public void load(BlockLease lease, Blocks into, Deadline deadline) {
    try {
      List<byte[]> sealed = connections.call(deadline, jedis -> jedis.mget(keys(into.keys())));
      for (int i = 0; i < into.count(); i++) {
        BlockStatus status = SealedBlock.open(into, i, sealed.get(i));
        into.set(i, status);
        if (status == BlockStatus.CORRUPT) {
          byte[] key = key(into.keys(), i);
          connections.call(deadline, jedis -> jedis.del(key)); // it can be saved again
        }
      }
    } catch (StoreException e) {
      into.setRest(status(e), e);
    }
  }

  @Override
  public void save(Blocks from, Deadline deadline) {
    try {
      connections.call(
          deadline,
          jedis -> {
            Pipeline pipeline = jedis.pipelined();
            for (int i = 0; i < from.count(); i++) {
              pipeline.set(key(from.keys(), i), SealedBlock.seal(from, i), IF_ABSENT);
            }
            pipeline.sync();
            return null;
          });
      from.setRest(BlockStatus.OK, null); // each is there now, this one or an older one
    } catch (StoreException e) {
      from.setRest(status(e), e);
    }
  }

  @Override
  public void remove(BlockKeys keys, Deadline deadline) throws StoreException {
    connections.call(deadline, jedis -> jedis.del(keys(keys)));
  }

  private static BlockStatus status(StoreException e) {
    return e.kind() == Kind.TIMEOUT ? BlockStatus.TIMEOUT : BlockStatus.IO;
  }
}

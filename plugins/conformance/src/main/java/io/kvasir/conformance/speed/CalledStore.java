package io.kvasir.conformance.speed;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.Frame;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.conformance.Chains;
import io.kvasir.conformance.Manifests;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** A store under as many callers as the core has, each with batches and frames of its own. */
public final class CalledStore implements AutoCloseable {
  /** Threads that call the store at once. */
  public static final int CALLERS = 3;

  private static final Duration PATIENCE = Duration.ofSeconds(60); // a call that takes longer hangs

  private final NamespaceManifest manifest;
  private final NamespaceStore namespace;
  private final Callers callers;
  private final int batch;

  private int prompts;

  /**
   * Opens a namespace of its own in the store.
   *
   * @param frames as the store asks for them, for blocks of a size that is a multiple of 64; each
   *     caller gets its share of them, which is a batch
   * @throws StoreException if the namespace does not open
   */
  public CalledStore(Store store, List<Frame> frames) throws StoreException {
    batch = frames.size() / CALLERS;
    manifest = Manifests.of("bench", frames.getFirst().payloadBytes());
    namespace = store.open(manifest);
    callers =
        new Callers(
            IntStream.range(0, CALLERS)
                .mapToObj(c -> frames.subList(c * batch, (c + 1) * batch))
                .toList());
  }

  /** {@return what identifies the blocks} */
  public NamespaceManifest manifest() {
    return manifest;
  }

  /** {@return the keys of prompts that were never there, a batch of blocks each} */
  public List<BlockKeys> prompts(int count) {
    List<BlockKeys> batches = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      batches.add(Chains.keys(manifest, prompts++, batch));
    }
    return batches;
  }

  /**
   * Saves each batch.
   *
   * @throws Exception whatever the store fails with; a block that is not saved is an IOException
   */
  public void put(List<BlockKeys> batches) throws Exception {
    callers.put(
        batches,
        blocks -> {
          namespace.save(blocks, soon());
          check(blocks);
        });
  }

  /**
   * Loads each batch.
   *
   * @throws Exception whatever the store fails with; a block that is missing, or another's, is an
   *     IOException
   */
  public void get(List<BlockKeys> batches) throws Exception {
    callers.get(
        batches,
        blocks -> {
          try (BlockLease lease = namespace.lookup(blocks.keys(), soon())) {
            namespace.load(lease, blocks, soon());
          }
          check(blocks);
        });
  }

  /**
   * Looks each batch up.
   *
   * @throws Exception whatever the store fails with; a block that is not found is an IOException
   */
  public void find(List<BlockKeys> batches) throws Exception {
    callers.each(
        batches,
        blocks -> {
          try (BlockLease lease = namespace.lookup(blocks.keys(), soon())) {
            if (lease.prefix() < blocks.count()) {
              throw new IOException("found %d of %s".formatted(lease.prefix(), blocks.keys()));
            }
          }
        });
  }

  private static Deadline soon() {
    return Deadline.after(PATIENCE);
  }

  private static void check(Blocks blocks) throws IOException {
    for (int i = 0; i < blocks.count(); i++) {
      if (blocks.status(i) != BlockStatus.OK) {
        throw new IOException(
            "block %d of %s ended %s".formatted(i, blocks.keys(), blocks.status(i)),
            blocks.cause(i));
      }
    }
  }

  @Override
  public void close() {
    callers.close();
    namespace.close();
  }
}

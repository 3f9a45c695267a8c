package io.kvasir.examples.shelf;

import module io.kvasir.api;
import module java.base;

/** A whole backend: a file per block, in a folder per namespace. */
public final class Shelf implements StoreProvider {
  public record Config(@Setting("Folder of the blocks.") Path directory) {}

  @Override
  public StoreDescriptor descriptor() {
    return StoreDescriptor.named("shelf").config(Config.class).persistent().checksum().build();
  }

  @Override
  public Store open(StoreContext context) {
    return new GatedStore(new ShelfStore(context.configuration(Config.class).directory()));
  }

  record ShelfStore(Path directory) implements Store {
    @Override
    public NamespaceStore open(NamespaceManifest manifest) throws StoreException {
      Path folder = directory.resolve(manifest.id().hex());
      Path file = folder.resolve("manifest.json");
      return StoreException.orIo(
          folder,
          () -> {
            Files.createDirectories(folder);
            publish(file, manifest.canonical());
            StoreException.unlessSame(file, Files.readAllBytes(file), manifest);
            return new ShelfBlocks(folder);
          });
    }

    @Override
    public StoreHealth health() {
      return StoreHealth.upIf(Files.isWritable(directory), "" + directory);
    }
  }

  record ShelfBlocks(Path folder) implements NamespaceStore {
    @Override
    public BlockLease lookup(BlockKeys keys, Deadline deadline) {
      return BlockLease.hint(keys, block -> Files.exists(folder.resolve(keys.flatKey(block))));
    }

    @Override
    public void load(BlockLease lease, Blocks into, Deadline deadline) {
      into.each(
          block -> {
            Path file = folder.resolve(into.keys().flatKey(block));
            byte[] sealed = Files.exists(file) ? Files.readAllBytes(file) : null;
            BlockStatus status = SealedBlock.open(into, block, sealed);
            if (status != BlockStatus.OK) {
              Files.deleteIfExists(file); // proven wrong: it can be saved again
            }
            return status;
          });
    }

    @Override
    public void save(Blocks from, Deadline deadline) {
      from.each(
          block -> {
            publish(folder.resolve(from.keys().flatKey(block)), SealedBlock.seal(from, block));
            return BlockStatus.OK;
          });
    }
  }

  /** Atomic: a whole file appears under the name, or the one that is there stays as it is. */
  private static void publish(Path file, byte[] bytes) throws IOException {
    Path whole = Files.createTempFile(file.getParent(), "new-", "");
    try {
      Files.createLink(file, Files.write(whole, bytes));
    } catch (FileAlreadyExistsException e) {
      // equal keys mean equal blocks
    } finally {
      Files.delete(whole);
    }
  }
}

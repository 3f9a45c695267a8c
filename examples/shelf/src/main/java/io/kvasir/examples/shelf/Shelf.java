package io.kvasir.examples.shelf;

import module io.kvasir.api;
import module java.base;

/** A whole backend: a file per block, in a folder per namespace. */
public final class Shelf implements StoreProvider {
  public record Config(@Setting("Folder of the blocks.") Path directory) {}

  @Override
  public StoreDescriptor descriptor() {
    return StoreDescriptor.named("shelf")
        .configuredBy(Config.class)
        .persistent()
        .checksum()
        .build();
  }

  @Override
  public Store open(StoreContext context) {
    return new GatedStore(new ShelfStore(context.configuration(Config.class).directory()));
  }

  record ShelfStore(Path directory) implements Store {
    @Override
    public NamespaceStore open(NamespaceManifest manifest) throws StoreException {
      Path folder = directory.resolve(manifest.id().hex());
      try {
        Files.createDirectories(folder);
        publish(folder.resolve("manifest.json"), manifest.canonical());
        if (Arrays.equals(
            Files.readAllBytes(folder.resolve("manifest.json")), manifest.canonical())) {
          return new ShelfBlocks(folder);
        }
        throw new StoreException(StoreException.Kind.MISMATCH, folder + " has another manifest");
      } catch (IOException e) {
        throw new StoreException(StoreException.Kind.IO, folder + ": " + e, e);
      }
    }

    @Override
    public StoreHealth health() {
      return new StoreHealth(
          Files.isWritable(directory) ? StoreHealth.State.UP : StoreHealth.State.DOWN,
          "" + directory);
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
            if (!Files.exists(file)) {
              return BlockStatus.MISS;
            }
            byte[] sealed = Files.readAllBytes(file);
            MemorySegment payload = into.frame(block).payload();
            BlockStatus status = SealedBlock.open(into.keys(), block, sealed, payload);
            if (status != BlockStatus.OK) {
              Files.delete(file); // proven wrong: it can be saved again
            }
            return status;
          });
    }

    @Override
    public void save(Blocks from, Deadline deadline) {
      from.each(
          block -> {
            Path file = folder.resolve(from.keys().flatKey(block));
            publish(file, SealedBlock.seal(from.keys(), block, from.frame(block).payload()));
            return BlockStatus.OK;
          });
    }
  }

  /** Atomic: a whole file appears under the name, or the one that is there stays as it is. */
  private static void publish(Path file, byte[] bytes) throws IOException {
    Path whole = Files.write(Files.createTempFile(file.getParent(), "new-", ""), bytes);
    try {
      Files.createLink(file, whole);
    } catch (FileAlreadyExistsException e) {
      // equal keys mean equal blocks
    } finally {
      Files.delete(whole);
    }
  }
}

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
            String key = into.keys().flatKey(block);
            if (!Files.exists(folder.resolve(key))) {
              return BlockStatus.MISS;
            }
            byte[] stored = Files.readAllBytes(folder.resolve(key));
            byte[] payload = Arrays.copyOf(stored, Math.max(0, stored.length - 8));
            if (payload.length != into.frame(block).payloadBytes()
                || !Arrays.equals(stored, sealed(key, payload))) {
              Files.delete(folder.resolve(key)); // proven wrong: it can be saved again
              return BlockStatus.CORRUPT;
            }
            into.frame(block).payload().copyFrom(MemorySegment.ofArray(payload));
            return BlockStatus.OK;
          });
    }

    @Override
    public void save(Blocks from, Deadline deadline) {
      from.each(
          block -> {
            String key = from.keys().flatKey(block);
            byte[] payload = from.frame(block).payload().toArray(ValueLayout.JAVA_BYTE);
            publish(folder.resolve(key), sealed(key, payload));
            return BlockStatus.OK;
          });
    }
  }

  /** A payload and what proves it: a checksum over the key and the bytes. */
  private static byte[] sealed(String key, byte[] payload) {
    CRC32C crc = new CRC32C();
    crc.update(key.getBytes(StandardCharsets.UTF_8));
    crc.update(payload);
    return ByteBuffer.allocate(payload.length + 8).put(payload).putLong(crc.getValue()).array();
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

package io.kvasir.conformance;

import io.kvasir.api.ByteSize;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreContext;
import io.kvasir.api.store.StoreDescriptor;
import io.kvasir.api.store.StoreProvider;
import io.kvasir.api.store.StoreView;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** The contract over a backend with one flaw; run by {@link BrokenStoresTest}, not by itself. */
class FlawedStoreContract extends StoreContract {
  static volatile Flaw flaw = Flaw.NONE;
  private static final AtomicInteger ASKED = new AtomicInteger();
  private static final Map<Path, FlawedDisk> DISKS = new ConcurrentHashMap<>();

  @Override
  protected StoreProvider provider() {
    return new StoreProvider() {
      @Override
      public StoreDescriptor descriptor() {
        StoreDescriptor.Builder builder =
            StoreDescriptor.named(
                    flaw == Flaw.DESCRIPTOR_CHANGES ? "s" + ASKED.incrementAndGet() : "flawed")
                .persistent()
                .scopedDelete()
                .enumerate()
                .checksum();
        if (flaw != Flaw.CLAIMS_TOO_LITTLE) {
          builder.usage();
        }
        if (flaw != Flaw.HINT_CLAIMS_TO_HOLD) {
          builder.leases();
        }
        if (flaw != Flaw.STOPS_AT_THE_FIRST_MISS) {
          builder.prefixClosed();
        }
        return builder.build();
      }

      @Override
      public Store open(StoreContext context) {
        FlawedStore.Config config = context.configuration(FlawedStore.Config.class);
        return new FlawedStore(
            config, DISKS.computeIfAbsent(config.directory(), d -> new FlawedDisk()));
      }

      @Override
      public StoreView inspect(StoreContext context) {
        Store store = open(context);
        if (flaw == Flaw.VIEW_ENDS_BLOCKS) {
          ((FlawedStore) store).disk.entries.clear();
        }
        return store;
      }
    };
  }

  @Override
  protected Record configuration(Path directory, ByteSize capacity) {
    return new FlawedStore.Config(directory, capacity, flaw, false, false);
  }

  @Override
  protected ByteSize capacity() {
    return new ByteSize(4 << 20);
  }

  @Override
  protected long blockBytes() {
    return 32 << 10;
  }

  @Override
  protected Optional<Record> failingConfiguration(Path directory) {
    return Optional.of(new FlawedStore.Config(directory, capacity(), flaw, true, false));
  }

  @Override
  protected Optional<Record> hangingConfiguration(Path directory) {
    return Optional.of(new FlawedStore.Config(directory, capacity(), flaw, false, true));
  }

  @Override
  protected boolean crash(Path directory, Path left) {
    DISKS.put(left, DISKS.get(directory).crashed(flaw));
    return true;
  }

  @Override
  protected boolean damageBlock(Store store, BlockKeys keys, int block) {
    FlawedStore flawed = (FlawedStore) store;
    flawed.disk.entries.get(flawed.key(keys, keys.hash(block))).bytes[5] ^= 1;
    return true;
  }

  @Override
  protected boolean damageManifest(Store store, NamespaceManifest manifest) {
    ((FlawedStore) store).disk.namespaces.get(manifest.id()).manifest[5] ^= 1;
    return true;
  }
}

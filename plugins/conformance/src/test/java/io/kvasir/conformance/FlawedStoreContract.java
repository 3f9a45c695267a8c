package io.kvasir.conformance;

import io.kvasir.api.ByteSize;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreContext;
import io.kvasir.api.store.StoreDescriptor;
import io.kvasir.api.store.StoreProvider;
import io.kvasir.api.store.StoreView;
import io.kvasir.conformance.wrap.CheckedStore;
import io.kvasir.conformance.wrap.RecordingStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** The contract over a backend with one flaw; run by {@link BrokenStoresTest}, not by itself. */
class FlawedStoreContract extends StoreContract {
  static volatile Flaw flaw = Flaw.NONE;
  private static final AtomicInteger ASKED = new AtomicInteger();
  private static final Map<Path, FlawedDisk> DISKS = new ConcurrentHashMap<>();
  private static final Map<Store, FlawedStore> BEHIND = new ConcurrentHashMap<>();

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
        FlawedStore store = flawed(context);
        if (flaw != Flaw.NONE) {
          return store;
        }
        // the kit is a caller, too, and held to the contract
        Store checked =
            new CheckedStore(new RecordingStore(store, 10), descriptor().capabilities());
        BEHIND.put(checked, store);
        return checked;
      }

      @Override
      public StoreView inspect(StoreContext context) {
        FlawedStore store = flawed(context);
        if (flaw == Flaw.VIEW_ENDS_BLOCKS) {
          store.disk.entries.clear();
        }
        return store;
      }
    };
  }

  private static FlawedStore flawed(StoreContext context) {
    FlawedStore.Config config = context.configuration(FlawedStore.Config.class);
    return new FlawedStore(
        config, DISKS.computeIfAbsent(config.directory(), d -> new FlawedDisk()));
  }

  private static FlawedStore behind(Store store) {
    return store instanceof FlawedStore itself ? itself : BEHIND.get(store);
  }

  @Override
  protected Record configuration(Path directory, ByteSize capacity) {
    return new FlawedStore.Config(directory, capacity, flaw, false, false);
  }

  @Override
  public Soak soak() {
    return new Soak(Duration.ofMillis(500), line -> {}, line -> {});
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
    FlawedStore flawed = behind(store);
    byte[] bytes = flawed.disk.entries.get(flawed.key(keys, keys.hash(block))).bytes;
    bytes[block % 3 * (bytes.length - 1) / 2] ^= 1;
    return true;
  }

  @Override
  protected boolean damageManifest(Store store, NamespaceManifest manifest) {
    behind(store).disk.namespaces.get(manifest.id()).manifest[5] ^= 1;
    return true;
  }
}

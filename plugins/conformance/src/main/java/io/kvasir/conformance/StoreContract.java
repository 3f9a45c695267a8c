package io.kvasir.conformance;

import io.kvasir.api.ByteSize;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every backend keeps. Its tests extend this class and say how to configure the backend:
 *
 * {@snippet :
 * class ShelfStoreTest extends StoreContract {
 *   protected StoreProvider provider() { return new ShelfProvider(); }
 *   protected Record configuration(Path directory, ByteSize capacity) {
 *     return new ShelfProvider.Config(directory);
 *   }
 * }
 * }
 *
 * <p>What the descriptor claims must work; what it does not claim must fail with the agreed error.
 * Rules that need a fault are skipped unless the backend's tests say how to cause it.
 */
@DisplayNameGeneration(RuleNames.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
public abstract class StoreContract
    implements IdentityRules,
        StatusRules,
        AtomicityRules,
        ConcurrencyRules,
        LeaseRules,
        DeletionRules,
        RestartRules,
        CapabilityRules,
        CapacityRules,
        IsolationRules,
        OwnershipRules,
        HealthRules,
        ModelRules,
        SoakRules,
        ClosingRules {
  @TempDir Path around;
  private Path directory;
  private StoreBench bench;

  /** {@return the backend under test} */
  protected abstract StoreProvider provider();

  /**
   * {@return a configuration of the backend}
   *
   * @param directory an empty directory of this test, the same when a store is opened again
   * @param capacity what the store may occupy
   */
  protected abstract Record configuration(Path directory, ByteSize capacity);

  /** {@return what the stores of these tests may occupy: room for 100 to 1,000 blocks} */
  protected ByteSize capacity() {
    return new ByteSize(16L << 20);
  }

  /** {@return the bytes of a block in most rules, a multiple of 64} */
  protected long blockBytes() {
    return 64L << 10;
  }

  /**
   * Flips a bit of a stored block in the open store: at best in the first byte of block 0, amid
   * block 1 and in the last byte of block 2. A persistent backend need not do it here: its files
   * are searched for the bytes.
   *
   * @return false if this backend's tests cannot
   */
  protected boolean damageBlock(Store store, BlockKeys keys, int block) {
    return false;
  }

  /** Flips a bit of a stored manifest in the open store, as {@link #damageBlock} does. */
  protected boolean damageManifest(Store store, NamespaceManifest manifest) {
    return false;
  }

  /** {@return a configuration with which each call fails, if there is one} */
  protected Optional<Record> failingConfiguration(Path directory) {
    return Optional.empty();
  }

  /** {@return a configuration with which each call hangs until its deadline, if there is one} */
  protected Optional<Record> hangingConfiguration(Path directory) {
    return Optional.empty();
  }

  /**
   * Makes another folder what a killed process would have left of the store in the first one, which
   * is open. The default copies the files, which is right where nobody writes meanwhile.
   *
   * @return false if this backend's tests cannot: it keeps nothing in files
   */
  protected boolean crash(Path directory, Path left) throws IOException {
    return StoredBytes.copy(directory, left);
  }

  /**
   * {@return whether calls of this test failed that nobody made fail} They were repeated, and no
   * rule is broken by them, but health need not be UP.
   */
  protected boolean troubled() {
    return false;
  }

  /**
   * {@return memory of an engine on a device: every block then comes out of it and goes back into
   * it by the store's own transfer path}
   */
  protected Optional<EngineMemory> engineMemory() {
    return Optional.empty();
  }

  @Override
  public Soak soak() {
    return Soak.ofThisBuild();
  }

  @BeforeEach
  final void setTheBenchUp(TestInfo test) throws IOException {
    directory = Files.createDirectory(around.resolve("store"));
    bench =
        new StoreBench(
            directory,
            provider(),
            configuration(directory, capacity()),
            capacity(),
            blockBytes(),
            engineMemory().map(DeviceDetour::new));
  }

  @AfterEach
  final void clearTheBench() throws StoreException {
    bench.close();
  }

  @Override
  public final StoreBench bench() {
    return bench;
  }

  @Override
  public final StoreFaults faults() {
    return new Faults();
  }

  private final class Faults implements StoreFaults {
    @Override
    public Optional<Store> damageBlock(StoreBench on, BlockKeys keys, int block)
        throws StoreException {
      if (StoreContract.this.damageBlock(on.store(), keys, block)) {
        return Optional.of(on.store());
      }
      byte[] payload = Payload.bytes((int) keys.payloadBytes(), StoreBench.number(keys, block));
      return inFiles(on, payload, block % 3);
    }

    @Override
    public Optional<Store> damageManifest(StoreBench on, NamespaceManifest manifest)
        throws StoreException {
      if (StoreContract.this.damageManifest(on.store(), manifest)) {
        return Optional.of(on.store());
      }
      return inFiles(on, manifest.canonical(), 1);
    }

    private Optional<Store> inFiles(StoreBench on, byte[] content, int place)
        throws StoreException {
      if (!on.claims().persistent()) {
        return Optional.empty();
      }
      on.shut();
      boolean damaged;
      try {
        damaged = StoredBytes.flipBit(directory, content, place);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return damaged ? Optional.of(on.store()) : Optional.empty();
    }

    @Override
    public boolean troubled() {
      return StoreContract.this.troubled();
    }

    @Override
    public Optional<StoreBench> crashed(StoreBench on) {
      Path left = around.resolve("left");
      try {
        return crash(directory, left)
            ? Optional.of(on.at(left, configuration(left, capacity())))
            : Optional.empty();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public Optional<Store> failing() throws StoreException {
      return opened(failingConfiguration(directory));
    }

    @Override
    public Optional<Store> hanging() throws StoreException {
      return opened(hangingConfiguration(directory));
    }

    private Optional<Store> opened(Optional<Record> configuration) throws StoreException {
      if (configuration.isEmpty()) {
        return Optional.empty();
      }
      return Optional.of(provider().open(new TestContext(configuration.get())));
    }
  }
}

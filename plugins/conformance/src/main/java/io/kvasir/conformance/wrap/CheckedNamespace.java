package io.kvasir.conformance.wrap;

import static io.kvasir.conformance.wrap.CheckedStore.caller;
import static io.kvasir.conformance.wrap.CheckedStore.store;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.Capabilities;
import io.kvasir.api.store.Frame;
import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import java.util.EnumSet;
import java.util.Set;
import java.util.zip.CRC32C;

/** A namespace of a {@link CheckedStore}. */
final class CheckedNamespace extends ForwardingNamespace {
  private static final Set<BlockStatus> OF_LOAD =
      EnumSet.complementOf(EnumSet.of(BlockStatus.CAPACITY, BlockStatus.CANCELLED));
  private static final Set<BlockStatus> OF_SAVE =
      EnumSet.complementOf(EnumSet.of(BlockStatus.MISS, BlockStatus.CANCELLED));

  private final NamespaceManifest manifest;
  private final FrameSource source;
  private final Capabilities claims;

  CheckedNamespace(
      NamespaceStore namespace,
      NamespaceManifest manifest,
      FrameSource source,
      Capabilities claims) {
    super(namespace);
    this.manifest = manifest;
    this.source = source;
    this.claims = claims;
  }

  @Override
  public BlockLease lookup(BlockKeys keys, Deadline deadline) throws StoreException {
    given(keys, deadline);
    if (foreign(keys)) {
      return refused(() -> namespace().lookup(keys, deadline));
    }
    BlockLease lease = CheckedStore.call("lookup", () -> namespace().lookup(keys, deadline));
    if (lease.keys().count() != keys.count()) {
      throw store("a lookup of " + keys + " gave a lease of " + lease.keys(), null);
    }
    if (lease.held() && !claims.leases()) {
      throw store("a lease holds, and leases are not claimed", null);
    }
    return lease;
  }

  @Override
  public void load(BlockLease lease, Blocks into, Deadline deadline) {
    given(into, deadline);
    if (lease == null) {
      throw caller("a load without a lease");
    }
    if (foreign(into.keys())) {
      refused(
          () -> {
            namespace().load(lease, into, deadline);
            return null;
          });
      return;
    }
    called(
        "load",
        () -> {
          namespace().load(lease, into, deadline);
          return null;
        });
    ended("load", into, OF_LOAD);
  }

  @Override
  public void save(Blocks from, Deadline deadline) {
    given(from, deadline);
    if (foreign(from.keys())) {
      refused(
          () -> {
            namespace().save(from, deadline);
            return null;
          });
      return;
    }
    int before = sum(from);
    called(
        "save",
        () -> {
          namespace().save(from, deadline);
          return null;
        });
    ended("save", from, OF_SAVE);
    if (sum(from) != before) {
      throw store("a save changed the payload of a frame of " + from, null);
    }
  }

  @Override
  public void remove(BlockKeys keys, Deadline deadline) throws StoreException {
    given(keys, deadline);
    if (foreign(keys)) {
      refused(
          () -> {
            namespace().remove(keys, deadline);
            return null;
          });
    }
    CheckedStore.claimed(
        "remove",
        claims.scopedDelete(),
        () -> {
          namespace().remove(keys, deadline);
          return true;
        });
  }

  private static void given(Object what, Deadline deadline) {
    if (what == null || deadline == null) {
      throw caller("a call with " + what + " and deadline " + deadline);
    }
  }

  private void given(Blocks blocks, Deadline deadline) {
    given((Object) blocks, deadline);
    long wanted = source.frameBytes(blocks.keys().payloadBytes());
    for (int i = 0; i < blocks.count(); i++) {
      Frame frame = blocks.frame(i);
      if (blocks.status(i) != null) {
        throw caller("block " + i + " has a status before the call: " + blocks);
      }
      if (!frame.memory().isNative()) {
        throw caller("frame " + i + " is not native memory");
      }
      if (frame.memory().address() % source.alignment() != 0) {
        throw caller(
            "frame %d is not aligned to the %d bytes that the store asks for"
                .formatted(i, source.alignment()));
      }
      if (frame.memory().byteSize() < wanted) {
        throw caller(
            "frame %d has %d bytes instead of the %d that the store asks for"
                .formatted(i, frame.memory().byteSize(), wanted));
      }
    }
  }

  private boolean foreign(BlockKeys keys) {
    return !keys.namespace().id().equals(manifest.id());
  }

  /** Keys of another namespace are the caller's mistake, and the store must be who says so. */
  private <T> T refused(CheckedStore.Call<T> call) {
    try {
      call.run();
    } catch (IllegalArgumentException e) {
      throw e;
    } catch (StoreException | RuntimeException e) {
      throw store("keys of another namespace ended with " + e, e);
    }
    throw store("keys of another namespace were taken", null);
  }

  private static void called(String name, CheckedStore.Call<Void> call) {
    try {
      CheckedStore.run(name, call);
    } catch (StoreException e) {
      throw new AssertionError("the SPI declares none", e);
    }
  }

  private static void ended(String name, Blocks blocks, Set<BlockStatus> allowed) {
    for (int i = 0; i < blocks.count(); i++) {
      BlockStatus status = blocks.status(i);
      if (status == null) {
        throw store("a " + name + " left block " + i + " without a status: " + blocks, null);
      }
      if (!allowed.contains(status)) {
        throw store("a " + name + " cannot end " + status + ": " + blocks, blocks.cause(i));
      }
    }
  }

  private static int sum(Blocks blocks) {
    CRC32C crc = new CRC32C();
    for (int i = 0; i < blocks.count(); i++) {
      crc.update(blocks.frame(i).payload().asByteBuffer());
    }
    return (int) crc.getValue();
  }
}

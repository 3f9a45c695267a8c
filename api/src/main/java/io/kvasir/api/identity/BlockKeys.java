package io.kvasir.api.identity;

import java.util.Arrays;

/**
 * The keys of a run of blocks of one chain: namespace, group, shard, index of the first block, its
 * parent, and a flat array of 32-byte hashes. Made by a {@link KeyChain}. Immutable.
 */
public final class BlockKeys {
  private final NamespaceManifest namespace;
  private final int group;
  private final int shard;
  private final int firstBlock;
  private final byte[] parent;
  private final byte[] hashes;

  BlockKeys(
      NamespaceManifest namespace,
      int group,
      int shard,
      int firstBlock,
      byte[] parent,
      byte[] hashes) {
    this.namespace = namespace;
    this.group = group;
    this.shard = shard;
    this.firstBlock = firstBlock;
    this.parent = parent;
    this.hashes = hashes;
  }

  /** {@return the namespace of all keys} */
  public NamespaceManifest namespace() {
    return namespace;
  }

  /** {@return the id of the group} */
  public int group() {
    return group;
  }

  /** {@return the index of the shard} */
  public int shard() {
    return shard;
  }

  /** {@return the index of the first block in its chain; the depth of block i is this plus i} */
  public int firstBlock() {
    return firstBlock;
  }

  /** {@return the number of blocks} */
  public int count() {
    return hashes.length / Sha256.BYTES;
  }

  /** {@return the payload bytes of each block} */
  public long payloadBytes() {
    return namespace.payloadBytes(group);
  }

  /** {@return a copy of a block's 32-byte hash} */
  public byte[] hash(int block) {
    java.util.Objects.checkIndex(block, count());
    return Arrays.copyOfRange(hashes, block * Sha256.BYTES, (block + 1) * Sha256.BYTES);
  }

  /** Copies a block's 32-byte hash to {@code to}, from {@code offset}. */
  public void copyHash(int block, byte[] to, int offset) {
    java.util.Objects.checkIndex(block, count());
    System.arraycopy(hashes, block * Sha256.BYTES, to, offset, Sha256.BYTES);
  }

  /**
   * {@return a copy of the hash of the block before {@code block}, or null at the chain's start}
   */
  public byte[] parent(int block) {
    return block > 0 ? hash(block - 1) : parent == null ? null : parent.clone();
  }

  /**
   * {@return the 16-byte fingerprint of a block, for indexes over many namespaces, groups and
   * shards}
   */
  public byte[] fingerprint(int block) {
    return fingerprint(hash(block));
  }

  /** {@return the fingerprint of the block before {@code block}, or null at the chain's start} */
  public byte[] parentFingerprint(int block) {
    byte[] hash = parent(block);
    return hash == null ? null : fingerprint(hash);
  }

  private byte[] fingerprint(byte[] hash) {
    byte[] whole =
        Sha256.tagged(
            "kvasir/fp/1",
            namespace.id().bytes(),
            Sha256.uint32(group),
            Sha256.uint32(shard),
            hash);
    return Arrays.copyOf(whole, 16);
  }

  /** {@return the flat key of a block, for stores that take strings} */
  public String flatKey(int block) {
    // no String.format: in some locales it writes digits that are not 0 to 9
    return "kv1:" + namespace.id().prefix() + ":g" + group + ":s" + shard + ":" + hex(block);
  }

  private String hex(int block) {
    return Sha256.hex(hash(block));
  }

  /** {@return the keys of the blocks {@code from} (inclusive) to {@code to} (exclusive)} */
  public BlockKeys slice(int from, int to) {
    java.util.Objects.checkFromToIndex(from, to, count());
    return new BlockKeys(
        namespace,
        group,
        shard,
        firstBlock + from,
        parent(from),
        Arrays.copyOfRange(hashes, from * Sha256.BYTES, to * Sha256.BYTES));
  }

  @Override
  public String toString() {
    return "%s g%d s%d blocks %d…%d"
        .formatted(namespace, group, shard, firstBlock, firstBlock + count());
  }
}

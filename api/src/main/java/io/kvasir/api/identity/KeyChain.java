package io.kvasir.api.identity;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The hashes of a token sequence, block by block, in one namespace and scope. Incremental: append
 * tokens as they come; only complete blocks have a hash. Not thread-safe.
 *
 * <p>{@link BlockKeys} are made here and nowhere else, so that no key exists without a namespace, a
 * tenant and a scope.
 */
public final class KeyChain {
  private final NamespaceManifest namespace;
  private final BlockHasher hasher;
  private final int blockTokens;
  private final List<ContentItem> items;
  private int[] pending;
  private int pendingCount;
  private byte[] hashes = new byte[16 * Sha256.BYTES];
  private int blocks;
  private int nextItem;

  /**
   * Creates an empty chain.
   *
   * @param namespace the namespace of the keys
   * @param hasher the policy's hasher for the request's scope
   * @param blockTokens tokens of a block, ≥ 1
   * @param items content items with positions from the start of the sequence
   */
  public KeyChain(
      NamespaceManifest namespace, BlockHasher hasher, int blockTokens, List<ContentItem> items) {
    if (blockTokens < 1) {
      throw new IdentityException("block_tokens: " + blockTokens + " is not at least 1");
    }
    this.namespace = namespace;
    this.hasher = hasher;
    this.blockTokens = blockTokens;
    this.items = items.stream().sorted(ContentItem.ORDER).toList();
    this.pending = new int[blockTokens];
  }

  /** Appends tokens. */
  public void append(int... tokens) {
    append(tokens, 0, tokens.length);
  }

  /**
   * Appends {@code count} tokens of an array, from an index; none if one is out of range.
   *
   * @throws IdentityException if a token is out of range
   */
  public void append(int[] tokens, int from, int count) {
    java.util.Objects.checkFromIndexSize(from, count, tokens.length);
    for (int i = 0; i < count; i++) {
      if (tokens[from + i] < 0) {
        throw new IdentityException(
            "token %d at %d is out of range 0 … 2^31-1".formatted(tokens[from + i], tokens() + i));
      }
    }
    int at = from;
    int end = from + count;
    while (at < end) {
      if (pendingCount == 0 && end - at >= blockTokens) {
        add(tokens, at);
        at += blockTokens;
      } else {
        int n = Math.min(end - at, blockTokens - pendingCount);
        System.arraycopy(tokens, at, pending, pendingCount, n);
        at += n;
        pendingCount += n;
        if (pendingCount == blockTokens) {
          add(pending, 0);
          pendingCount = 0;
        }
      }
    }
  }

  private void add(int[] tokens, int from) {
    byte[] parent = blocks == 0 ? null : hash(blocks - 1);
    List<ContentItem> here = itemsOfBlock();
    byte[] hash = hasher.hash(parent, tokens, from, blockTokens, here);
    if (hashes.length == blocks * Sha256.BYTES) {
      hashes = Arrays.copyOf(hashes, hashes.length * 2);
    }
    System.arraycopy(hash, 0, hashes, blocks * Sha256.BYTES, Sha256.BYTES);
    blocks++;
    nextItem += here.size(); // only now: a hasher that threw has hashed no item
  }

  private List<ContentItem> itemsOfBlock() {
    long start = (long) blocks * blockTokens;
    if (nextItem == items.size() || items.get(nextItem).position() >= start + blockTokens) {
      return List.of();
    }
    List<ContentItem> here = new ArrayList<>();
    for (int n = nextItem; n < items.size() && items.get(n).position() < start + blockTokens; n++) {
      ContentItem i = items.get(n);
      here.add(new ContentItem((int) (i.position() - start), i.span(), i.kind(), i.digest()));
    }
    return here;
  }

  /** {@return the number of complete blocks} */
  public int blocks() {
    return blocks;
  }

  /** {@return the number of tokens appended} */
  public long tokens() {
    return (long) blocks * blockTokens + pendingCount;
  }

  /** {@return the tokens of a block} */
  public int blockTokens() {
    return blockTokens;
  }

  /** {@return a copy of a complete block's 32-byte hash} */
  public byte[] hash(int block) {
    java.util.Objects.checkIndex(block, blocks);
    return Arrays.copyOfRange(hashes, block * Sha256.BYTES, (block + 1) * Sha256.BYTES);
  }

  /**
   * {@return the keys of the complete blocks {@code from} (inclusive) to {@code to} (exclusive)}
   *
   * @param group id of a group of the namespace
   * @param shard index of a shard of the namespace
   * @throws IdentityException if the group has blocks of another size
   */
  public BlockKeys keys(int group, int shard, int from, int to) {
    java.util.Objects.checkFromToIndex(from, to, blocks);
    java.util.Objects.checkIndex(group, namespace.groups());
    java.util.Objects.checkIndex(shard, namespace.shards());
    int groupTokens = namespace.format().groups().get(group).blockTokens();
    if (groupTokens != blockTokens) {
      throw new IdentityException(
          "group %d has blocks of %d tokens and this chain of %d; make a chain for each block size"
              .formatted(group, groupTokens, blockTokens));
    }
    byte[] parent = from == 0 ? null : hash(from - 1);
    byte[] flat = Arrays.copyOfRange(hashes, from * Sha256.BYTES, to * Sha256.BYTES);
    return new BlockKeys(namespace, group, shard, from, parent, flat);
  }
}

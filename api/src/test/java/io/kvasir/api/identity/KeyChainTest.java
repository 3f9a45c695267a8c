package io.kvasir.api.identity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class KeyChainTest {
  private static final NamespaceManifest MANIFEST = Samples.manifest();

  private static KeyChain chain(int blockTokens, ContentItem... items) {
    return new KeyChain(
        MANIFEST, new ChainHasher(MANIFEST.id(), RequestScope.NONE), blockTokens, List.of(items));
  }

  private static ContentItem image(int position, int fill) {
    byte[] digest = new byte[32];
    Arrays.fill(digest, (byte) fill);
    return new ContentItem(position, 2, "image", digest);
  }

  @Property(tries = 200)
  void howTokensArriveDoesNotMatter(
      @ForAll @Size(max = 60) List<@IntRange(min = 0) Integer> tokens,
      @ForAll @Size(max = 20) List<@IntRange(min = 0, max = 9) Integer> pieces,
      @ForAll @IntRange(min = 1, max = 9) int blockTokens) {
    int[] all = tokens.stream().mapToInt(t -> t).toArray();
    ContentItem[] items = {image(3, 1), image(11, 2), image(11, 3), image(40, 4)};
    KeyChain whole = chain(blockTokens, items);
    whole.append(all);
    KeyChain cut = chain(blockTokens, items);
    int at = 0;
    for (int piece : pieces) {
      int n = Math.min(piece, all.length - at);
      cut.append(all, at, n);
      at += n;
    }
    cut.append(all, at, all.length - at);
    assertEquals(all.length, cut.tokens());
    assertEquals(all.length / blockTokens, whole.blocks());
    assertEquals(hashes(whole), hashes(cut));
  }

  private static List<String> hashes(KeyChain chain) {
    List<String> out = new ArrayList<>();
    for (int i = 0; i < chain.blocks(); i++) {
      out.add(Sha256.hex(chain.hash(i)));
    }
    return out;
  }

  @Example
  void onlyCompleteBlocksHaveAHash() {
    KeyChain chain = chain(4);
    chain.append(1, 2, 3);
    assertEquals(0, chain.blocks());
    chain.append(4, 5);
    assertEquals(1, chain.blocks());
    assertEquals(5, chain.tokens());
  }

  @Example
  void aRefusedTokenLeavesTheChainAsItWas() {
    KeyChain chain = chain(4, image(1, 7));
    IdentityException e = assertThrows(IdentityException.class, () -> chain.append(1, 2, 3, -4));
    assertEquals("token -4 at 3 is out of range 0 … 2^31-1", e.getMessage());
    assertEquals(0, chain.tokens());
    chain.append(1, 2, 3, 4);
    KeyChain fresh = chain(4, image(1, 7));
    fresh.append(1, 2, 3, 4);
    assertArrayEquals(fresh.hash(0), chain.hash(0), "the image is still in the block's hash");
    KeyChain without = chain(4);
    without.append(1, 2, 3, 4);
    assertFalse(Arrays.equals(without.hash(0), chain.hash(0)));
  }

  @Example
  void aHasherThatThrowsHidesNoContent() {
    BlockHasher real = new ChainHasher(MANIFEST.id(), RequestScope.NONE);
    boolean[] fail = {true};
    BlockHasher once =
        (parent, tokens, from, blockTokens, items) -> {
          if (fail[0]) {
            fail[0] = false;
            throw new IdentityException("not now");
          }
          return real.hash(parent, tokens, from, blockTokens, items);
        };
    KeyChain chain = new KeyChain(MANIFEST, once, 4, List.of(image(1, 7)));
    assertThrows(IdentityException.class, () -> chain.append(1, 2, 3, 4));
    chain.append(1, 2, 3, 4);
    KeyChain fresh = chain(4, image(1, 7));
    fresh.append(1, 2, 3, 4);
    assertArrayEquals(fresh.hash(0), chain.hash(0));
  }

  @Example
  void contentBeyondTheTokensIsNotHashed() {
    KeyChain chain = chain(4, image(4, 7));
    chain.append(1, 2, 3, 4);
    KeyChain without = chain(4);
    without.append(1, 2, 3, 4);
    assertArrayEquals(without.hash(0), chain.hash(0));
  }

  @Example
  void aChainHasKeysForGroupsOfItsBlockSizeOnly() {
    KeyChain chain = chain(16);
    chain.append(new int[64]);
    assertEquals(
        "group 0 has blocks of 64 tokens and this chain of 16; make a chain for each block size",
        assertThrows(IdentityException.class, () -> chain.keys(0, 0, 0, 4)).getMessage());
  }

  @Example
  void aBlockHasAtLeastOneToken() {
    assertEquals(
        "block_tokens: 0 is not at least 1",
        assertThrows(IdentityException.class, () -> chain(0)).getMessage());
  }

  @Example
  void keysAreOfGroupsAndShardsThatThereAre() {
    KeyChain chain = chain(64);
    chain.append(new int[128]);
    assertThrows(IndexOutOfBoundsException.class, () -> chain.keys(1, 0, 0, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> chain.keys(0, 2, 0, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> chain.keys(0, 0, 0, 3));
    BlockKeys keys = chain.keys(0, 1, 1, 2);
    assertArrayEquals(chain.hash(1), keys.hash(0));
    assertArrayEquals(chain.hash(0), keys.parent(0));
    assertEquals(64 * 64 * 2 * 24 * 2, keys.payloadBytes());
  }
}

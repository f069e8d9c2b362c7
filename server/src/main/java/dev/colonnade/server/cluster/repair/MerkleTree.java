package dev.colonnade.server.cluster.repair;

import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.cluster.ring.TokenRange;
import java.util.ArrayList;
import java.util.List;

/**
 * Hashes over the leaves of a range, and over those hashes in pairs up to one root, so that equal
 * parts are skipped at their top. Immutable.
 */
public final class MerkleTree {

  private static final Hash128 NOTHING = new Hash128(0, 0);

  private final MerkleSplits cuts;

  /** A binary heap: the root at 1, the children of {@code i} at {@code 2i} and {@code 2i + 1}. */
  private final Hash128[] nodes;

  private final int width;

  /**
   * Builds a tree over its leaves.
   *
   * @param hashes one for each leaf of the cuts
   */
  MerkleTree(MerkleSplits cuts, List<Hash128> hashes) {
    if (hashes.size() != cuts.leaves()) {
      throw new IllegalArgumentException(hashes.size() + " hashes of " + cuts.leaves() + " leaves");
    }
    this.cuts = cuts;
    this.width = Math.max(1, Integer.highestOneBit(2 * hashes.size() - 1));
    this.nodes = new Hash128[2 * width];
    for (int i = 0; i < width; i++) {
      nodes[width + i] = i < hashes.size() ? hashes.get(i) : NOTHING;
    }
    ByteWriter pair = new ByteWriter(4 * Long.BYTES);
    for (int i = width - 1; i > 0; i--) {
      pair.reset();
      write(nodes[2 * i], pair);
      write(nodes[2 * i + 1], pair);
      nodes[i] = Hash128.of(pair.array(), 0, pair.position());
    }
  }

  static void write(Hash128 hash, ByteWriter out) {
    out.writeLong(hash.high());
    out.writeLong(hash.low());
  }

  /** The leaves' ranges. */
  public MerkleSplits cuts() {
    return cuts;
  }

  /** One hash of everything: equal for equal rows. */
  public Hash128 root() {
    return nodes[1];
  }

  Hash128 leaf(int number) {
    return nodes[width + number];
  }

  /**
   * Returns the ranges of tokens whose rows differ, clockwise; consecutive leaves are joined.
   *
   * @param other over the same leaves
   */
  public List<TokenRange> differences(MerkleTree other) {
    if (!cuts.equals(other.cuts)) {
      throw new IllegalArgumentException("trees over different leaves cannot be compared");
    }
    List<Integer> leaves = new ArrayList<>();
    collect(1, other, leaves);
    List<TokenRange> ranges = new ArrayList<>();
    for (int i = 0; i < leaves.size(); i++) {
      int first = leaves.get(i);
      while (i + 1 < leaves.size() && leaves.get(i + 1) == leaves.get(i) + 1) {
        i++;
      }
      ranges.add(cuts.leaves(first, leaves.get(i)));
    }
    return ranges;
  }

  private void collect(int node, MerkleTree other, List<Integer> leaves) {
    if (nodes[node].equals(other.nodes[node])) {
      return;
    }
    if (node >= width) {
      leaves.add(node - width);
    } else {
      collect(2 * node, other, leaves);
      collect(2 * node + 1, other, leaves);
    }
  }
}

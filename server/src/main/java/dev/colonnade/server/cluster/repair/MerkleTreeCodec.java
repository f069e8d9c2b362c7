package dev.colonnade.server.cluster.repair;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.cluster.ring.TokenRange;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes splits and trees for other nodes. Each method writes or reads its part of a message and
 * leaves the rest alone. Thread-safe: it has no state.
 */
public final class MerkleTreeCodec {

  private static final int TOKEN_BYTES_MAX = 1 << 20;

  private MerkleTreeCodec() {}

  /** Writes the splits. */
  public static void writeCuts(MerkleSplits cuts, ByteWriter out) {
    out.writeBytes(cuts.range().start());
    out.writeVarint(cuts.leaves());
    cuts.ends().forEach(out::writeBytes);
  }

  /** Reads the splits. */
  public static MerkleSplits readCuts(ByteReader in) throws CorruptDataException {
    byte[] start = in.readBytes("token", TOKEN_BYTES_MAX);
    int count = in.readLength("leaves", MerkleSplits.LEAVES_MAX);
    List<byte[]> ends = new ArrayList<>(Math.min(count, 1_024));
    for (int i = 0; i < count; i++) {
      ends.add(in.readBytes("token", TOKEN_BYTES_MAX));
    }
    try {
      byte[] end = ends.isEmpty() ? start : ends.get(count - 1);
      return new MerkleSplits(new TokenRange(start, end), ends);
    } catch (IllegalArgumentException e) {
      throw in.corrupt("leaves", "cuts in order", String.valueOf(e.getMessage()));
    }
  }

  /** Writes the hashes of a tree; the requester knows its splits. */
  public static void writeTree(MerkleTree tree, ByteWriter out) {
    out.writeVarint(tree.cuts().leaves());
    for (int i = 0; i < tree.cuts().leaves(); i++) {
      MerkleTree.write(tree.leaf(i), out);
    }
  }

  /**
   * Reads a tree.
   *
   * @param cuts of the request
   */
  public static MerkleTree readTree(ByteReader in, MerkleSplits cuts) throws CorruptDataException {
    int count = in.readLength("leaves", MerkleSplits.LEAVES_MAX);
    if (count != cuts.leaves()) {
      throw in.corrupt("leaves", "" + cuts.leaves(), "" + count);
    }
    List<Hash128> hashes = new ArrayList<>(Math.min(count, 1_024));
    for (int i = 0; i < count; i++) {
      hashes.add(new Hash128(in.readLong(), in.readLong()));
    }
    return new MerkleTree(cuts, hashes);
  }
}

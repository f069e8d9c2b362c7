package dev.colonnade.server.cluster.repair;

import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.Reencoding;
import dev.colonnade.server.cluster.ring.TokenRange;
import java.util.List;

/**
 * Any request for a hash tree, and any tree, is read or refused, and comes back as it was once it
 * was encoded.
 */
public final class TreeFuzzer {

  private static final MerkleSplits CUTS =
      new MerkleSplits(
          new TokenRange(new byte[] {0}, new byte[] {9}),
          List.of(new byte[] {1}, new byte[] {4, 2}, new byte[] {9}));

  private TreeFuzzer() {}

  /** One input: a byte that says which message it is, and its body. */
  public static void fuzzerTestOneInput(byte[] data) throws CorruptDataException {
    Reencoding.check(data, "a repair", TreeFuzzer::again);
  }

  private static byte[] again(int message, byte[] body) throws CorruptDataException {
    return (message & 1) == 0
        ? MerkleTreeCodec.encode(MerkleTreeCodec.decodeRequest(body))
        : MerkleTreeCodec.encode(MerkleTreeCodec.decodeTree(body, CUTS));
  }
}

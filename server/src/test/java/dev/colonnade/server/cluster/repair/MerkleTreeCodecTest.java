package dev.colonnade.server.cluster.repair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import dev.colonnade.internode.v1.Id128;
import dev.colonnade.internode.v1.TreeRequest;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.DamagedMessages;
import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.cluster.ring.TokenRange;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests for trees, and trees, survive encoding and decoding; others are refused. */
final class MerkleTreeCodecTest {

  private static final MerkleSplits CUTS =
      new MerkleSplits(
          new TokenRange(new byte[] {9}, new byte[] {7}),
          List.of(new byte[] {9, 1}, new byte[] {}, new byte[] {7}));

  @Test
  void messagesComeBackAsTheyWere() throws CorruptDataException {
    TreeMessage request = new TreeMessage(new FamilyId(-1, 2), 1_800_000_000L, CUTS);
    assertEquals(request, MerkleTreeCodec.decodeRequest(MerkleTreeCodec.encode(request)));
    MerkleTree tree =
        new MerkleTree(CUTS, List.of(new Hash128(1, 2), new Hash128(-3, 4), new Hash128(5, -6)));
    assertEquals(
        tree.root(), MerkleTreeCodec.decodeTree(MerkleTreeCodec.encode(tree), CUTS).root());
  }

  @Test
  void aTreeWithAnotherNumberOfLeavesIsRefused() {
    MerkleSplits one = MerkleSplits.one(CUTS.range());
    byte[] answer = MerkleTreeCodec.encode(new MerkleTree(one, List.of(new Hash128(1, 2))));
    assertThrows(CorruptDataException.class, () -> MerkleTreeCodec.decodeTree(answer, CUTS));
    assertThrows(CorruptDataException.class, () -> MerkleTreeCodec.decodeTree(new byte[0], one));
  }

  @Test
  void otherBytesAreRefusedOrReadAndNothingElse() {
    TreeMessage request = new TreeMessage(new FamilyId(-1, 2), 1_800_000_000L, CUTS);
    DamagedMessages.read(MerkleTreeCodec.encode(request), MerkleTreeCodec::decodeRequest);
    MerkleSplits one = MerkleSplits.one(CUTS.range());
    byte[] answer = MerkleTreeCodec.encode(new MerkleTree(one, List.of(new Hash128(1, 2))));
    DamagedMessages.read(answer, body -> MerkleTreeCodec.decodeTree(body, one));
  }

  @Test
  void aRequestForATreeWithoutOneOfItsPartsIsRefused() throws CorruptDataException {
    TreeRequest whole =
        TreeRequest.newBuilder()
            .setFamily(Id128.getDefaultInstance())
            .setNowSeconds(0)
            .addEnds(ByteString.copyFrom(new byte[] {1}))
            .addEnds(ByteString.copyFrom(new byte[] {2}))
            .build();
    assertEquals(2, MerkleTreeCodec.decodeRequest(whole.toByteArray()).cuts().leaves());
    for (TreeRequest.Builder wrong :
        List.of(
            whole.toBuilder().clearFamily(),
            whole.toBuilder().clearNowSeconds(),
            whole.toBuilder().clearEnds(),
            whole.toBuilder().addEnds(ByteString.copyFrom(new byte[] {1})))) {
      byte[] body = wrong.build().toByteArray();
      assertThrows(CorruptDataException.class, () -> MerkleTreeCodec.decodeRequest(body));
    }
  }
}

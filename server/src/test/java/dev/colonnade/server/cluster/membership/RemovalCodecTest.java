package dev.colonnade.server.cluster.membership;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.colonnade.internode.v1.RemovalRequest;
import dev.colonnade.internode.v1.RemovalResponse;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.DamagedMessages;
import dev.colonnade.server.cluster.gossip.Removal;
import dev.colonnade.server.cluster.gossip.RemovalBallots.RemovalVote;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Messages of a removal survive encoding and decoding; others are refused. */
final class RemovalCodecTest {

  private static final NodeRemoval.FetchRequest REQUEST =
      new NodeRemoval.FetchRequest("00ff", "11ee 1767225600000001");

  private static final Removal REMOVAL = new Removal("00ff", 7, 1_000, 2_000);

  @Test
  void messagesComeBackAsTheyWere() throws CorruptDataException {
    assertEquals(REQUEST, RemovalCodec.decodeRequest(RemovalCodec.encode(REQUEST)));
    for (NodeRemoval.FetchState state : NodeRemoval.FetchState.values()) {
      assertEquals(state, RemovalCodec.decodeState(RemovalCodec.encode(state)));
    }
  }

  @Test
  void votesComeBackAsTheyWere() throws CorruptDataException {
    assertEquals(REMOVAL, RemovalCodec.decodeRemoval(RemovalCodec.encode(REMOVAL)));
    RemovalVote agreed =
        RemovalCodec.decodeVote(
            RemovalCodec.encode(new RemovalVote(Optional.of(new byte[] {1, 2}), "")));
    assertArrayEquals(new byte[] {1, 2}, agreed.signature().orElseThrow());
    RemovalVote refused = new RemovalVote(Optional.empty(), "it finds that node up");
    assertEquals(refused, RemovalCodec.decodeVote(RemovalCodec.encode(refused)));
  }

  @Test
  void aVoteWithoutOneOfItsPartsIsRefused() {
    for (Removal wrong :
        List.of(
            new Removal("", 1, 2, 3),
            new Removal("n".repeat(257), 1, 2, 3),
            new Removal("n", -1, 2, 3),
            new Removal("n", 1, 0, 3),
            new Removal("n", 1, 2, 0))) {
      byte[] body = RemovalCodec.encode(wrong);
      assertThrows(CorruptDataException.class, () -> RemovalCodec.decodeRemoval(body));
    }
    byte[] tooLong = RemovalCodec.encode(new RemovalVote(Optional.of(new byte[1_025]), ""));
    assertThrows(CorruptDataException.class, () -> RemovalCodec.decodeVote(tooLong));
  }

  @Test
  void aMessageWithoutOneOfItsPartsIsRefused() {
    for (RemovalRequest.Builder wrong :
        List.of(
            RemovalRequest.newBuilder().setNodeId("n"),
            RemovalRequest.newBuilder().setAttempt("a"),
            RemovalRequest.newBuilder().setNodeId("n".repeat(257)).setAttempt("a"))) {
      byte[] body = wrong.build().toByteArray();
      assertThrows(CorruptDataException.class, () -> RemovalCodec.decodeRequest(body));
    }
    byte[] later = RemovalResponse.newBuilder().setStateValue(3).build().toByteArray();
    assertThrows(CorruptDataException.class, () -> RemovalCodec.decodeState(later));
    assertThrows(CorruptDataException.class, () -> RemovalCodec.decodeState(new byte[0]));
  }

  @Test
  void otherBytesAreRefusedOrReadAndNothingElse() {
    DamagedMessages.read(RemovalCodec.encode(REQUEST), RemovalCodec::decodeRequest);
    DamagedMessages.read(RemovalCodec.encode(REMOVAL), RemovalCodec::decodeRemoval);
    DamagedMessages.read(
        RemovalCodec.encode(new RemovalVote(Optional.of(new byte[70]), "no")),
        RemovalCodec::decodeVote);
    DamagedMessages.read(
        RemovalCodec.encode(NodeRemoval.FetchState.DONE), RemovalCodec::decodeState);
  }
}

package dev.colonnade.server.cluster.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.colonnade.internode.v1.RemovalRequest;
import dev.colonnade.internode.v1.RemovalResponse;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.DamagedMessages;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages of a removal survive encoding and decoding; others are refused. */
final class RemovalCodecTest {

  private static final NodeRemoval.FetchRequest REQUEST =
      new NodeRemoval.FetchRequest("00ff", "11ee 1767225600000001");

  @Test
  void messagesComeBackAsTheyWere() throws CorruptDataException {
    assertEquals(REQUEST, RemovalCodec.decodeRequest(RemovalCodec.encode(REQUEST)));
    for (NodeRemoval.FetchState state : NodeRemoval.FetchState.values()) {
      assertEquals(state, RemovalCodec.decodeState(RemovalCodec.encode(state)));
    }
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
    DamagedMessages.read(
        RemovalCodec.encode(NodeRemoval.FetchState.DONE), RemovalCodec::decodeState);
  }
}

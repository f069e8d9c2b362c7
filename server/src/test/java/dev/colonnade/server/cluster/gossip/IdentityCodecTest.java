package dev.colonnade.server.cluster.gossip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.colonnade.internode.v1.IdentityKnowledge;
import dev.colonnade.internode.v1.IdentityRequest;
import dev.colonnade.internode.v1.IdentityResponse;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.DamagedMessages;
import dev.colonnade.server.cluster.net.PeerAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Questions about host ids, and answers, survive encoding and decoding; others are refused. */
final class IdentityCodecTest {

  private static final PeerAddress FROM = new PeerAddress("10.0.0.1", 7000);
  private static final HostIdCheck.IdentityQuery QUESTION =
      new HostIdCheck.IdentityQuery("00ff", "10.0.0.2:7000", 1_800_000_000L, true);

  private static HostIdCheck.IdentityAnswer answer(HostIdCheck.IdKnowledge knowledge) {
    return new HostIdCheck.IdentityAnswer(FROM, knowledge, true, 5, "[::1]:7000", "11ee");
  }

  @Test
  void questionsAndAnswersComeBackAsTheyWere() throws CorruptDataException {
    assertEquals(QUESTION, IdentityCodec.decodeQuery(IdentityCodec.encode(QUESTION)));
    for (HostIdCheck.IdKnowledge knowledge : HostIdCheck.IdKnowledge.values()) {
      HostIdCheck.IdentityAnswer answer = answer(knowledge);
      assertEquals(answer, IdentityCodec.decodeAnswer(FROM, IdentityCodec.encode(answer)));
    }
  }

  @Test
  void aQuestionWithoutOneOfItsPartsIsRefused() throws CorruptDataException {
    IdentityRequest whole =
        IdentityRequest.newBuilder().setNodeId("n").setAddress("h:1").setGeneration(1).build();
    IdentityCodec.decodeQuery(whole.toByteArray());
    for (IdentityRequest.Builder wrong :
        List.of(
            whole.toBuilder().clearNodeId(),
            whole.toBuilder().clearAddress(),
            whole.toBuilder().setGeneration(-1),
            whole.toBuilder().setAddress("h".repeat(1_025)))) {
      byte[] body = wrong.build().toByteArray();
      assertThrows(CorruptDataException.class, () -> IdentityCodec.decodeQuery(body));
    }
  }

  @Test
  void anAnswerThatDoesNotSayWhatIsKnownIsRefused() throws CorruptDataException {
    IdentityResponse whole =
        IdentityResponse.newBuilder()
            .setKnowledge(IdentityKnowledge.IDENTITY_KNOWLEDGE_UNKNOWN)
            .build();
    IdentityCodec.decodeAnswer(FROM, whole.toByteArray());
    for (IdentityResponse.Builder wrong :
        List.of(
            whole.toBuilder().clearKnowledge(),
            whole.toBuilder().setKnowledgeValue(5),
            whole.toBuilder().setGeneration(-1))) {
      byte[] body = wrong.build().toByteArray();
      assertThrows(CorruptDataException.class, () -> IdentityCodec.decodeAnswer(FROM, body));
    }
  }

  @Test
  void otherBytesAreRefusedOrReadAndNothingElse() {
    DamagedMessages.read(IdentityCodec.encode(QUESTION), IdentityCodec::decodeQuery);
    DamagedMessages.read(
        IdentityCodec.encode(answer(HostIdCheck.IdKnowledge.OWN)),
        body -> IdentityCodec.decodeAnswer(FROM, body));
  }
}

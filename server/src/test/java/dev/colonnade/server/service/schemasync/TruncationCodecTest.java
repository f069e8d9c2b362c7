package dev.colonnade.server.service.schemasync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.colonnade.internode.v1.Id128;
import dev.colonnade.internode.v1.TruncateRequest;
import dev.colonnade.internode.v1.TruncationStep;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.DamagedMessages;
import dev.colonnade.server.base.model.FamilyId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Steps of a truncation survive encoding and decoding; others are refused. */
final class TruncationCodecTest {

  private static final FamilyId FAMILY = new FamilyId(-1, 2);
  private static final Truncation.TruncationStep PROPOSE =
      new Truncation.TruncationStep(Truncation.StepKind.PROPOSE, FAMILY, 0);
  private static final Truncation.TruncationStep APPLY =
      new Truncation.TruncationStep(Truncation.StepKind.APPLY, FAMILY, 1_767_225_600_000_001L);

  @Test
  void stepsComeBackAsTheyWere() throws CorruptDataException {
    for (Truncation.TruncationStep step : List.of(PROPOSE, APPLY)) {
      assertEquals(step, TruncationCodec.decodeStep(TruncationCodec.encode(step)));
    }
    assertEquals(7, TruncationCodec.decodeNumber(TruncationCodec.encodeNumber(7)));
  }

  @Test
  void aStepWithoutOneOfItsPartsIsRefused() {
    TruncateRequest whole =
        TruncateRequest.newBuilder()
            .setFamily(Id128.getDefaultInstance())
            .setStep(TruncationStep.TRUNCATION_STEP_APPLY)
            .setNumber(5)
            .build();
    for (TruncateRequest.Builder part :
        List.of(
            whole.toBuilder().clearFamily(),
            whole.toBuilder().clearStep(),
            whole.toBuilder().setStepValue(3),
            whole.toBuilder().clearNumber(),
            whole.toBuilder().setNumber(-5))) {
      byte[] body = part.build().toByteArray();
      assertThrows(
          CorruptDataException.class, () -> TruncationCodec.decodeStep(body), part::toString);
    }
    assertThrows(CorruptDataException.class, () -> TruncationCodec.decodeNumber(new byte[0]));
  }

  @Test
  void otherBytesAreRefusedOrReadAndNothingElse() {
    DamagedMessages.read(TruncationCodec.encode(APPLY), TruncationCodec::decodeStep);
    DamagedMessages.read(TruncationCodec.encodeNumber(7), TruncationCodec::decodeNumber);
  }
}

package dev.colonnade.server.service.schemasync;

import dev.colonnade.internode.v1.Id128;
import dev.colonnade.internode.v1.TruncateRequest;
import dev.colonnade.internode.v1.TruncateResponse;
import dev.colonnade.internode.v1.TruncationStep;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.MessageParser;
import dev.colonnade.server.base.model.FamilyId;

/** Encodes the steps of a truncation as messages of {@code internode.proto}. */
final class TruncationCodec {

  private static final int BYTES_MAX = 1 << 10;
  private static final int FIELDS_MAX = 64;

  private static final MessageParser<TruncateRequest> REQUEST =
      new MessageParser<>(
          "a request to truncate", TruncateRequest.getDefaultInstance(), BYTES_MAX, FIELDS_MAX);
  private static final MessageParser<TruncateResponse> RESPONSE =
      new MessageParser<>(
          "an answer to a truncation",
          TruncateResponse.getDefaultInstance(),
          BYTES_MAX,
          FIELDS_MAX);

  private TruncationCodec() {}

  static byte[] encode(Truncation.TruncationStep step) {
    FamilyId family = step.family();
    return TruncateRequest.newBuilder()
        .setFamily(Id128.newBuilder().setHigh(family.high()).setLow(family.low()))
        .setStep(
            switch (step.kind()) {
              case PROPOSE -> TruncationStep.TRUNCATION_STEP_PROPOSE;
              case APPLY -> TruncationStep.TRUNCATION_STEP_APPLY;
            })
        .setNumber(step.number())
        .build()
        .toByteArray();
  }

  static Truncation.TruncationStep decodeStep(byte[] body) throws CorruptDataException {
    TruncateRequest message = REQUEST.parse(body);
    MessageParser.require("the family", message.hasFamily());
    FamilyId family = new FamilyId(message.getFamily().getHigh(), message.getFamily().getLow());
    return switch (message.getStep()) {
      case TRUNCATION_STEP_PROPOSE ->
          new Truncation.TruncationStep(Truncation.StepKind.PROPOSE, family, 0);
      case TRUNCATION_STEP_APPLY ->
          new Truncation.TruncationStep(
              Truncation.StepKind.APPLY, family, number(message.getNumber()));
      case TRUNCATION_STEP_UNSPECIFIED, UNRECOGNIZED ->
          throw CorruptDataException.inMessage(
              "step of a truncation", "a known one", "" + message.getStepValue());
    };
  }

  static byte[] encodeNumber(long number) {
    return TruncateResponse.newBuilder().setNumber(number).build().toByteArray();
  }

  static long decodeNumber(byte[] body) throws CorruptDataException {
    return number(RESPONSE.parse(body).getNumber());
  }

  private static long number(long number) throws CorruptDataException {
    return MessageParser.number("number of a truncation", number, 1, Long.MAX_VALUE);
  }
}

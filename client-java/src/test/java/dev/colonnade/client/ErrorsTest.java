package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.colonnade.client.InvalidRequestException.FieldViolation;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ErrorsTest {

  @ParameterizedTest
  @CsvSource({
    "INVALID_ARGUMENT, InvalidRequestException",
    "NOT_FOUND, NotFoundException",
    "ALREADY_EXISTS, AlreadyExistsException",
    "UNAVAILABLE, UnavailableException",
    "DEADLINE_EXCEEDED, TimedOutException",
    "RESOURCE_EXHAUSTED, OverloadedException",
    "DATA_LOSS, CorruptDataException",
    "FAILED_PRECONDITION, PreconditionFailedException",
    "ABORTED, ColonnadeException",
    "INTERNAL, ColonnadeException",
  })
  void eachStatusHasItsClass(Status.Code code, String name) {
    ColonnadeException thrown =
        Errors.translate(answer(code, info("SOME_REASON", "no")), Applied.UNKNOWN);
    assertEquals(name, thrown.getClass().getSimpleName());
    assertEquals("SOME_REASON", thrown.reason());
    assertEquals("what happened", thrown.getMessage());
  }

  @Test
  void whatTheNodeSaysOfTheWriteStands() {
    assertEquals(Applied.NO, applied(info("OVERLOADED", "no")));
    assertEquals(Applied.UNKNOWN, applied(info("REPLICA_TIMEOUT", "unknown")));
    assertEquals("no", translated(info("OVERLOADED", "no")).metadata().get("applied"));
  }

  @Test
  void withoutANodesWordAWriteIsUnknownAndTheReasonIsTheStatus() {
    ColonnadeException thrown =
        Errors.translate(
            Status.UNAVAILABLE.withDescription("refused").asRuntimeException(), Applied.UNKNOWN);
    assertEquals(Applied.UNKNOWN, thrown.applied());
    assertEquals("UNAVAILABLE", thrown.reason());
  }

  @Test
  void detailsOfOtherDomainsAreNotTakenForANodes() {
    ErrorInfo foreign = ErrorInfo.newBuilder().setDomain("proxy").setReason("BUSY").build();
    assertEquals("UNAVAILABLE", translated(foreign).reason());
    assertTrue(Errors.isOfTransport(answer(Status.Code.UNAVAILABLE, foreign)));
    assertFalse(
        Errors.isOfTransport(answer(Status.Code.UNAVAILABLE, info("NOT_ENOUGH_REPLICAS", "no"))));
  }

  @Test
  void violationsAndDelaysAreRead() {
    BadRequest.Builder bad = BadRequest.newBuilder();
    bad.addFieldViolationsBuilder().setField("rows[1].key").setDescription("is empty");
    InvalidRequestException invalid =
        assertInstanceOf(
            InvalidRequestException.class,
            Errors.translate(answer(Status.Code.INVALID_ARGUMENT, bad.build()), Applied.UNKNOWN));
    assertEquals(List.of(new FieldViolation("rows[1].key", "is empty")), invalid.fieldViolations());

    RetryInfo.Builder retry = RetryInfo.newBuilder();
    retry.getRetryDelayBuilder().setSeconds(1).setNanos(500_000_000);
    OverloadedException overloaded =
        assertInstanceOf(
            OverloadedException.class,
            Errors.translate(
                answer(Status.Code.RESOURCE_EXHAUSTED, retry.build()), Applied.UNKNOWN));
    assertEquals(Optional.of(Duration.ofMillis(1500)), overloaded.retryDelay());
  }

  private static Applied applied(Message detail) {
    return translated(detail).applied();
  }

  private static ColonnadeException translated(Message detail) {
    return Errors.translate(answer(Status.Code.UNAVAILABLE, detail), Applied.YES);
  }

  private static ErrorInfo info(String reason, String applied) {
    return ErrorInfo.newBuilder()
        .setDomain("colonnade")
        .setReason(reason)
        .putMetadata("applied", applied)
        .build();
  }

  private static RuntimeException answer(Status.Code code, Message detail) {
    return StatusProto.toStatusRuntimeException(
        com.google.rpc.Status.newBuilder()
            .setCode(code.value())
            .setMessage("what happened")
            .addDetails(Any.pack(detail))
            .build());
  }
}

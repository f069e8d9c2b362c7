package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.colonnade.server.cluster.membership.MembershipException;
import dev.colonnade.server.cluster.streaming.StreamFailedException;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.CoordinationException;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** What a program can read in an error. */
final class ErrorDetailsTest {

  private final StatusErrors errors = new StatusErrors("n1");

  private static Map<String, String> metadata(StatusRuntimeException error) {
    return Objects.requireNonNull(Service.detail(error, ErrorInfo.class)).getMetadataMap();
  }

  @Test
  void notEnoughReplicasMeansThatNothingWasAppliedAndTryingAgainMayHelp() {
    StatusRuntimeException error =
        errors.ofWrite(
            new CompletionException(
                new CoordinationException.NotEnoughReplicas(Consistency.QUORUM, 2, 1)));
    assertEquals(Status.Code.UNAVAILABLE, error.getStatus().getCode());
    assertEquals(
        Map.of("consistency_level", "QUORUM", "required", "2", "alive", "1", "applied", "no"),
        metadata(error));
    assertNotNull(Service.detail(error, RetryInfo.class));
  }

  @Test
  void aTimeoutOfAWriteLeavesOpenWhetherItWasApplied() {
    CoordinationException late = new CoordinationException.ReplicaTimeout(Consistency.ALL, 3, 2);
    assertEquals("unknown", metadata(errors.ofWrite(late)).get("applied"));
    assertEquals("2", metadata(errors.ofWrite(late)).get("received"));
    assertEquals("REPLICA_TIMEOUT", Service.reason(errors.ofRead(late)));
  }

  @Test
  void damageNamesFileAndOffset() {
    StatusRuntimeException error =
        errors.ofRead(
            new CoordinationException.Corrupt("a-1-data", 42, new IOException("checksum")));
    assertEquals(Status.Code.DATA_LOSS, error.getStatus().getCode());
    assertEquals(Map.of("file", "a-1-data", "offset", "42"), metadata(error));
  }

  @Test
  void aBatchThatWasAppliedInPartIsNotSaidToBeRefused() {
    StatusRuntimeException error =
        errors.ofWrite(
            new CoordinationException.PartlyApplied(
                2, 1, new CoordinationException.Overloaded("the queue")));
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, error.getStatus().getCode());
    assertEquals(Map.of("limit", "the queue", "applied", "unknown"), metadata(error));
    assertTrue(String.valueOf(error.getMessage()).contains("1 of 2 rows"), error.getMessage());
  }

  @Test
  void aStreamThatFailedIsAChangeOfTheRingThatDidNotEndAndNoFaultOfTheServer() {
    for (RuntimeException failure :
        List.of(
            new StreamFailedException("stream 7 ended early: it was cut off", null),
            new MembershipException("stream 7 ended early: it was cut off"))) {
      StatusRuntimeException error =
          errors.ofWrite(new CompletionException(new CompletionException(failure)));
      assertEquals(Status.Code.FAILED_PRECONDITION, error.getStatus().getCode());
      assertEquals("RING_CHANGE_FAILED", Service.reason(error));
      assertTrue(String.valueOf(error.getMessage()).contains("it was cut off"));
    }
  }

  @Test
  void ourOwnFaultsAreNumberedAndNotShown() {
    StatusRuntimeException error = errors.ofRead(new IllegalStateException("secret detail"));
    assertEquals(Status.Code.INTERNAL, error.getStatus().getCode());
    assertFalse(String.valueOf(error.getMessage()).contains("secret"));
    assertEquals("n1-1", metadata(error).get("correlation_id"));
  }
}

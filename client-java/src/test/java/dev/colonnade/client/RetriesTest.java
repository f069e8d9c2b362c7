package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.BatchMutateResponse;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import io.grpc.Deadline;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a call that failed is made again: the pauses between its attempts, and its limits. */
@Timeout(30)
final class RetriesTest {

  private static final int ATTEMPTS = 20;

  private final FakeNodes nodes = new FakeNodes(2);
  private final Colonnade client =
      nodes.client(ClientOptions.defaults().withDiscovery(false), nodes.node(0), nodes.node(1));
  private final NodePool pool = client.pool();
  private final NodeConnection one = pool.nodes().get(0);
  private final NodeConnection two = pool.nodes().get(1);
  private final Retries retries =
      new Retries(pool, new Replicas(pool, System::nanoTime, false), node -> {}, ATTEMPTS);

  @AfterEach
  void close() {
    client.close();
    nodes.close();
  }

  @Test
  void anotherNodeIsTriedAtOnceAndTheSameOnesAfterPausesThatGrow() {
    Retries.OfCall call = retries.new OfCall();
    Transport.Request<?, ?> read = read(Duration.ofMinutes(1));
    Retries.Next next = after(call, read, one, overloaded(Duration.ZERO));
    assertEquals(two, next.node());
    assertEquals(Duration.ZERO, next.pause());
    long mostMillis = 40;
    for (int i = 2; i < ATTEMPTS; i++) {
      long pause = after(call, read, next.node(), overloaded(Duration.ZERO)).pause().toMillis();
      long most = mostMillis;
      assertTrue(pause >= most / 2 && pause <= most, () -> pause + " ms of " + most);
      mostMillis = Math.min(1_000, 2 * mostMillis);
    }
  }

  @Test
  void aPauseIsAtLeastWhatTheNodeAskedFor() {
    Retries.OfCall call = retries.new OfCall();
    Transport.Request<?, ?> read = read(Duration.ofMinutes(1));
    Duration asked = Duration.ofSeconds(3);
    assertEquals(Duration.ZERO, after(call, read, one, overloaded(asked)).pause());
    Duration pause = after(call, read, two, overloaded(asked)).pause();
    assertTrue(pause.compareTo(asked) > 0 && pause.compareTo(asked.plusMillis(40)) <= 0);
  }

  @Test
  void noCallPausesUntilAfterItsDeadline() {
    Retries.OfCall call = retries.new OfCall();
    Transport.Request<?, ?> read = read(Duration.ofSeconds(2));
    assertNotNull(after(call, read, one, overloaded(Duration.ZERO)));
    assertTrue(call.mayEndWell(read, two, overloaded(Duration.ofSeconds(3))));
    assertNull(call.next(read, overloaded(Duration.ofSeconds(3))));
  }

  @Test
  void aCallIsMadeAgainALimitedNumberOfTimes() {
    Retries.OfCall call = retries.new OfCall();
    Transport.Request<?, ?> read = read(Duration.ofMinutes(1));
    for (int i = 0; i < ATTEMPTS; i++) {
      assertNotNull(after(call, read, one, overloaded(Duration.ZERO)));
    }
    assertTrue(call.mayEndWell(read, one, overloaded(Duration.ZERO)));
    assertNull(call.next(read, overloaded(Duration.ZERO)));
    assertEquals(ATTEMPTS, retries.made());
  }

  @Test
  void fiveSuccessesEarnARetryOnceTheReserveIsSpent() {
    Transport.Request<?, ?> read = read(Duration.ofMinutes(1));
    while (hasRetry(read)) {
      assertTrue(retries.made() <= Retries.BUDGET);
    }
    assertEquals(Retries.BUDGET, retries.made());
    for (int i = 0; i < 4; i++) {
      retries.succeeded(one);
    }
    assertTrue(!hasRetry(read));
    retries.succeeded(one);
    assertTrue(hasRetry(read));
    assertTrue(!hasRetry(read));
  }

  /** A write without a timestamp of its own gets another one each time, so it is another write. */
  @Test
  void aWriteThatMayHaveBeenAppliedIsMadeAgainOnlyIfItIsTheSame() {
    ColonnadeException broken = unavailable(Applied.UNKNOWN);
    for (boolean repeatable : new boolean[] {true, false}) {
      Transport.Request<?, ?> write = write(repeatable);
      Retries.OfCall call = retries.new OfCall();
      assertEquals(repeatable, call.mayEndWell(write, one, broken), "repeatable " + repeatable);
      assertEquals(Applied.UNKNOWN, call.failure(broken).applied());
    }
    assertEquals(0, retries.made());
  }

  @Test
  void aWriteThatTheNodeRefusedIsMadeAgainAndItsFailureKeepsWhatWasNotKnown() {
    Transport.Request<?, ?> write = write(false);
    Retries.OfCall call = retries.new OfCall();
    Retries.Next next = after(call, write, one, overloaded(Duration.ZERO));
    assertEquals(two, next.node());
    assertEquals(Applied.NO, call.failure(overloaded(Duration.ZERO)).applied());
    // The second attempt breaks: it ends there, and so does what is known of the whole call.
    assertFalse(call.mayEndWell(write, two, unavailable(Applied.UNKNOWN)));
    Retries.OfCall repeated = retries.new OfCall();
    assertTrue(repeated.mayEndWell(write(true), one, unavailable(Applied.UNKNOWN)));
    assertTrue(repeated.mayEndWell(write(true), two, overloaded(Duration.ZERO)));
    assertEquals(Applied.UNKNOWN, repeated.failure(overloaded(Duration.ZERO)).applied());
  }

  private boolean hasRetry(Transport.Request<?, ?> read) {
    Retries.OfCall call = retries.new OfCall();
    assertTrue(call.mayEndWell(read, one, overloaded(Duration.ZERO)));
    return call.next(read, overloaded(Duration.ZERO)) != null;
  }

  private static Retries.Next after(
      Retries.OfCall call,
      Transport.Request<?, ?> request,
      NodeConnection node,
      ColonnadeException failure) {
    assertTrue(call.mayEndWell(request, node, failure));
    Retries.Next next = call.next(request, failure);
    assertNotNull(next);
    return next;
  }

  private static Transport.Request<GetSliceRequest, GetSliceResponse> read(Duration deadline) {
    return new Transport.Request<>(
        ColumnStoreServiceGrpc.getGetSliceMethod(),
        GetSliceRequest.getDefaultInstance(),
        Deadline.after(deadline.toNanos(), TimeUnit.NANOSECONDS),
        Applied.NO,
        true);
  }

  private static Transport.Request<BatchMutateRequest, BatchMutateResponse> write(
      boolean repeatable) {
    return new Transport.Request<>(
        ColumnStoreServiceGrpc.getBatchMutateMethod(),
        BatchMutateRequest.getDefaultInstance(),
        Deadline.after(1, TimeUnit.MINUTES),
        Applied.UNKNOWN,
        repeatable);
  }

  /** The connection broke. */
  private static ColonnadeException unavailable(Applied ifUnstated) {
    return Errors.translate(Status.UNAVAILABLE.asRuntimeException(), ifUnstated);
  }

  private static ColonnadeException overloaded(Duration asked) {
    com.google.rpc.Status.Builder status =
        com.google.rpc.Status.newBuilder()
            .setCode(Status.Code.RESOURCE_EXHAUSTED.value())
            .setMessage("too much")
            .addAllDetails(
                List.of(
                    Any.pack(
                        ErrorInfo.newBuilder()
                            .setDomain("colonnade")
                            .setReason("OVERLOADED")
                            .putMetadata("applied", "no")
                            .build())));
    if (!asked.isZero()) {
      RetryInfo.Builder retry = RetryInfo.newBuilder();
      retry.getRetryDelayBuilder().setSeconds(asked.toSeconds());
      status.addDetails(Any.pack(retry.build()));
    }
    return Errors.translate(StatusProto.toStatusRuntimeException(status.build()), Applied.NO);
  }
}

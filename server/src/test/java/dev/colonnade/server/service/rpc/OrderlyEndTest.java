package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.rpc.Service.KS;
import static dev.colonnade.server.service.rpc.Service.all;
import static dev.colonnade.server.service.rpc.Service.bytes;
import static dev.colonnade.server.service.rpc.Service.parent;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.admin.v1.ClusterServiceGrpc;
import dev.colonnade.admin.v1.WatchRingRequest;
import dev.colonnade.admin.v1.WatchRingResponse;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.KeyBounds;
import dev.colonnade.v1.KeyRange;
import dev.colonnade.v1.SessionRequest;
import dev.colonnade.v1.SessionResponse;
import dev.colonnade.v1.StreamMutateRequest;
import dev.colonnade.v1.StreamMutateResponse;
import dev.colonnade.v1.StreamRangeSlicesRequest;
import dev.colonnade.v1.StreamRangeSlicesResponse;
import io.grpc.StatusRuntimeException;
import io.grpc.testing.GrpcCleanupRule;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.runner.Description;
import org.junit.runners.model.Statement;

/**
 * A call that has ended leaves nothing open in the node, however it ended: gRPC's own rule for
 * servers in process shuts down the connection and then the server in order, and fails when one of
 * them still waits for a call.
 */
final class OrderlyEndTest {

  /** Longer than any orderly end takes: nothing here waits for a clock. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Makes calls on a node's services, then shuts them down in order. */
  private static void endAfter(Duration patience, Consumer<Service> calls) throws Throwable {
    try (Service service = Service.start()) {
      GrpcCleanupRule rule =
          new GrpcCleanupRule().setTimeout(patience.toMillis(), TimeUnit.MILLISECONDS);
      rule.register(service.server);
      rule.register(service.channel);
      Statement statement =
          new Statement() {
            @Override
            public void evaluate() {
              calls.accept(service);
            }
          };
      rule.apply(statement, Description.EMPTY).evaluate();
      assertTrue(service.server.isTerminated());
    }
  }

  private static void endAfter(Consumer<Service> calls) throws Throwable {
    endAfter(PATIENCE, calls);
  }

  @Test
  void unaryCallsThatWereAnsweredAndRefused() throws Throwable {
    endAfter(
        service -> {
          service.insert("k", "Standard1", "c", "v", 1);
          GetSliceRequest.Builder slice =
              GetSliceRequest.newBuilder()
                  .setKeyspace(KS)
                  .setKey(bytes("k"))
                  .setColumnParent(parent("Standard1"))
                  .setPredicate(all());
          assertEquals(1, service.stub().getSlice(slice.build()).getColumnsCount());
          slice.setColumnParent(parent("Nope"));
          assertThrows(StatusRuntimeException.class, () -> service.stub().getSlice(slice.build()));
        });
  }

  @Test
  void streamsThatTheCallerReadToTheirEnd() throws Throwable {
    endAfter(
        service -> {
          StreamReader<StreamMutateRequest, StreamMutateResponse> writes = new StreamReader<>();
          var unused = service.async().streamMutate(writes);
          writes.call().request(1);
          writes.call().onCompleted();
          assertTrue(writes.completed);
          StreamReader<SessionRequest, SessionResponse> session = new StreamReader<>();
          var unusedToo = service.async().session(session);
          session.call().request(1);
          session.call().onCompleted();
          assertTrue(session.completed);
        });
  }

  @Test
  void streamsThatTheCallerCancelled() throws Throwable {
    endAfter(
        service -> {
          List.of("a", "b", "c").forEach(key -> service.insert(key, "Standard1", "c", "v", 1));
          StreamReader<StreamRangeSlicesRequest, StreamRangeSlicesResponse> scan =
              new StreamReader<>();
          service
              .async()
              .streamRangeSlices(
                  StreamRangeSlicesRequest.newBuilder()
                      .setKeyspace(KS)
                      .setColumnParent(parent("Standard1"))
                      .setPredicate(all())
                      .setRange(KeyRange.newBuilder().setKeys(KeyBounds.getDefaultInstance()))
                      .build(),
                  scan);
          scan.call().cancel("enough", null);
          StreamReader<StreamMutateRequest, StreamMutateResponse> writes = new StreamReader<>();
          var unused = service.async().streamMutate(writes);
          writes.call().cancel("enough", null);
          StreamReader<SessionRequest, SessionResponse> session = new StreamReader<>();
          var unusedToo = service.async().session(session);
          session.call().cancel("enough", null);
          watch(service).call().cancel("enough", null);
        });
  }

  /** So that the tests above can fail. */
  @Test
  void aStreamThatIsStillOpenIsFound() {
    AssertionError found =
        assertThrows(
            AssertionError.class,
            () -> endAfter(Duration.ofMillis(50), service -> watch(service).call().request(1)));
    String said = String.valueOf(found.getMessage());
    assertTrue(said.contains("could not be released in time"), said);
  }

  private static StreamReader<WatchRingRequest, WatchRingResponse> watch(Service service) {
    StreamReader<WatchRingRequest, WatchRingResponse> watch = new StreamReader<>();
    ClusterServiceGrpc.newStub(service.channel)
        .watchRing(WatchRingRequest.getDefaultInstance(), watch);
    return watch;
  }
}

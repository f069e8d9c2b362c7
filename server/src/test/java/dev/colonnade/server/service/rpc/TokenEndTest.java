package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.colonnade.admin.v1.AccountServiceGrpc;
import dev.colonnade.admin.v1.ClusterServiceGrpc;
import dev.colonnade.admin.v1.LoginRequest;
import dev.colonnade.admin.v1.LoginResponse;
import dev.colonnade.admin.v1.WatchRingRequest;
import dev.colonnade.admin.v1.WatchRingResponse;
import dev.colonnade.server.service.accounts.FirstAdministrator;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A stream on which nothing happens, opened with a token. */
final class TokenEndTest {

  private static final String PASSWORD = "correct horse";

  private final Service service = Service.withAuthentication();
  private final List<Throwable> ends = new ArrayList<>();
  private final Context.CancellableContext watching = Context.current().withCancellation();

  @BeforeEach
  void watchTheRingWithAToken() {
    var unused =
        new FirstAdministrator(service.access.accounts(), service.access.authenticator())
            .create(PASSWORD);
    LoginResponse token =
        AccountServiceGrpc.newBlockingStub(service.channel)
            .login(
                LoginRequest.newBuilder()
                    .setName(FirstAdministrator.NAME)
                    .setPassword(PASSWORD)
                    .build());
    Metadata headers = new Metadata();
    headers.put(CallIdentity.AUTHORIZATION, "Bearer " + token.getToken());
    var stub =
        ClusterServiceGrpc.newStub(service.channel)
            .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    watching.run(() -> watchRing(stub));
  }

  private void watchRing(ClusterServiceGrpc.ClusterServiceStub stub) {
    stub.watchRing(
        WatchRingRequest.getDefaultInstance(),
        new StreamObserver<WatchRingResponse>() {
          @Override
          public void onNext(WatchRingResponse ring) {}

          @Override
          public void onError(Throwable failure) {
            ends.add(failure);
          }

          @Override
          public void onCompleted() {
            ends.add(new AssertionError("completed"));
          }
        });
  }

  @AfterEach
  void close() {
    service.close();
  }

  /** A token is good for hours, and streams are opened all the time. */
  @Test
  void aStreamThatEndsTakesItsTimerWithIt() {
    int before = service.scheduler.waiting();
    watching.cancel(null);
    assertEquals(before - 1, service.scheduler.waiting());
    service.clock.advance(Duration.ofHours(1));
    service.scheduler.runDelayed();
    assertEquals(1, ends.size(), "it ended once");
  }

  /** Nothing changes in the ring, so the stream has no answer that could be refused. */
  @Test
  void aStreamThatIsSilentEndsWithTheTimeOfItsToken() {
    service.clock.advance(Duration.ofHours(1));
    service.scheduler.runDelayed();
    assertEquals(1, ends.size());
    assertEquals(
        ErrorReasons.TOKEN_EXPIRED,
        Service.reason(assertInstanceOf(StatusRuntimeException.class, ends.get(0))));
  }

  @Test
  void aClockThatWasSetBackDelaysTheEnd() {
    service.clock.advance(Duration.ofMinutes(59));
    service.scheduler.runDelayed();
    assertEquals(List.of(), ends);
    service.clock.advance(Duration.ofMinutes(1));
    service.scheduler.runDelayed();
    assertEquals(1, ends.size());
  }
}

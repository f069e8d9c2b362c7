package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.admin.v1.BulkLoadServiceGrpc;
import dev.colonnade.admin.v1.LoadHeader;
import dev.colonnade.admin.v1.LoadRowsRequest;
import dev.colonnade.admin.v1.LoadRowsResponse;
import dev.colonnade.server.service.accounts.Grant;
import dev.colonnade.server.service.accounts.Identity;
import dev.colonnade.server.service.accounts.Permission;
import dev.colonnade.server.service.accounts.Resource;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of a stream of requests whose caller loses its permission. */
final class AuthorizationInterceptorTest {

  private static final Grant WRITE = new Grant(Permission.WRITE, new Resource("K", "F"));
  private static final LoadRowsRequest HEADER =
      LoadRowsRequest.newBuilder()
          .setHeader(LoadHeader.newBuilder().setKeyspace("K").setColumnFamily("F"))
          .build();

  private final Service service = Service.withAuthentication();
  private final List<String> handled = new ArrayList<>();
  private final Call call = new Call();

  @BeforeEach
  void makeAUserWhoMayWrite() {
    var unused = service.access.accounts().createUser("bob", "", false);
    unused = service.access.accounts().setGrant("bob", WRITE, true);
  }

  @AfterEach
  void close() {
    service.close();
  }

  /** A stream of requests that ends with one answer. */
  private static final class Call extends ServerCall<LoadRowsRequest, LoadRowsResponse> {
    private final List<Status.Code> closed = new ArrayList<>();

    @Override
    public void request(int messages) {}

    @Override
    public void sendHeaders(Metadata headers) {}

    @Override
    public void sendMessage(LoadRowsResponse message) {}

    @Override
    public void close(Status status, Metadata trailers) {
      closed.add(status.getCode());
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public MethodDescriptor<LoadRowsRequest, LoadRowsResponse> getMethodDescriptor() {
      return BulkLoadServiceGrpc.getLoadRowsMethod();
    }
  }

  private ServerCall.Listener<LoadRowsRequest> open() throws Exception {
    return open(new Identity("bob", Identity.Proof.CERTIFICATE, -1));
  }

  private ServerCall.Listener<LoadRowsRequest> open(Identity bob) throws Exception {
    AuthorizationInterceptor interceptor =
        new AuthorizationInterceptor(new AccessChecks(service.access), new StatusErrors("node"));
    Context asBob = CallIdentity.with(Context.current(), bob);
    return asBob.call(
        () ->
            interceptor.interceptCall(
                call,
                new Metadata(),
                (inner, headers) ->
                    new ServerCall.Listener<>() {
                      @Override
                      public void onMessage(LoadRowsRequest message) {
                        handled.add(message.hasHeader() ? "header" : "rows");
                      }

                      @Override
                      public void onCancel() {
                        handled.add("cancelled");
                      }

                      @Override
                      public void onComplete() {
                        handled.add("complete");
                      }
                    }));
  }

  /** A token that leaked would otherwise be good for as long as a stream can be kept open. */
  @Test
  void aStreamEndsWithTheTimeOfTheTokenThatItWasOpenedWith() throws Exception {
    long end = service.clock.wallSeconds() + 60;
    ServerCall.Listener<LoadRowsRequest> bob =
        open(new Identity("bob", Identity.Proof.TOKEN, -1, end));
    bob.onMessage(HEADER);
    bob.onMessage(LoadRowsRequest.getDefaultInstance());
    assertEquals(List.of("header", "rows"), handled);
    service.clock.advance(Duration.ofSeconds(60));
    bob.onMessage(LoadRowsRequest.getDefaultInstance());
    assertEquals(List.of("header", "rows"), handled);
    assertEquals(List.of(Status.Code.UNAUTHENTICATED), call.closed);
  }

  @Test
  void rowsAfterARevokeAreRefusedThoughOnlyTheHeaderNamesTheFamily() throws Exception {
    ServerCall.Listener<LoadRowsRequest> bob = open();
    bob.onMessage(HEADER);
    bob.onMessage(LoadRowsRequest.getDefaultInstance());
    assertEquals(List.of("header", "rows"), handled);
    var unused = service.access.accounts().setGrant("bob", WRITE, false);
    bob.onMessage(LoadRowsRequest.getDefaultInstance());
    bob.onHalfClose();
    assertEquals(List.of("header", "rows"), handled);
    assertEquals(List.of(Status.Code.PERMISSION_DENIED), call.closed);
  }

  /** Otherwise it would keep what it holds for the rest of the stream. */
  @Test
  void theHandlerOfAStreamThatWasRefusedIsToldThatItIsOver() throws Exception {
    ServerCall.Listener<LoadRowsRequest> bob = open();
    bob.onMessage(HEADER);
    bob.onMessage(HEADER.toBuilder().setHeader(LoadHeader.newBuilder().setKeyspace("L")).build());
    assertEquals(List.of(Status.Code.PERMISSION_DENIED), call.closed);
    bob.onComplete();
    assertEquals(List.of("header", "cancelled"), handled);
  }
}

package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.Code;
import com.google.rpc.ErrorInfo;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.GetResponse;
import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionService;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What the store expects of the pinned gRPC and protobuf: details of errors arrive, a generic
 * client can find every service and message by reflection, and health answers; all on a server
 * without a thread pool of its own.
 */
final class WireLibrariesTest {

  private final HealthStatusManager health = new HealthStatusManager();
  private Server server;
  private ManagedChannel channel;

  @BeforeEach
  void serve() throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .directExecutor()
            .addService(new AlwaysRefuses())
            .addService(health.getHealthService())
            .addService(ProtoReflectionServiceV1.newInstance())
            .addService(olderReflection())
            .build()
            .start();
    channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
            .usePlaintext()
            .directExecutor()
            .build();
  }

  @AfterEach
  void stop() throws InterruptedException {
    channel.shutdownNow();
    server.shutdownNow();
    assertTrue(server.awaitTermination(10, TimeUnit.SECONDS), "the server did not stop");
  }

  @Test
  void detailsOfAnErrorReachTheClient() throws InvalidProtocolBufferException {
    StatusRuntimeException refused =
        assertThrows(
            StatusRuntimeException.class,
            () ->
                ColumnStoreServiceGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(10, TimeUnit.SECONDS)
                    .get(GetRequest.getDefaultInstance()));
    assertEquals(io.grpc.Status.Code.INVALID_ARGUMENT, refused.getStatus().getCode());
    com.google.rpc.Status status = StatusProto.fromThrowable(refused);
    assertTrue(status != null, "no google.rpc.Status in the trailers");
    assertEquals(2, status.getDetailsCount());
    ErrorInfo reason = status.getDetails(0).unpack(ErrorInfo.class);
    assertEquals("colonnade", reason.getDomain());
    assertEquals("INVALID_REQUEST", reason.getReason());
    assertEquals("no", reason.getMetadataOrThrow("applied"));
    BadRequest request = status.getDetails(1).unpack(BadRequest.class);
    assertEquals("keyspace", request.getFieldViolations(0).getField());
  }

  @Test
  void reflectionListsTheServicesAndHandsOutTheirFiles() throws Exception {
    ServerReflectionResponse list =
        reflect(ServerReflectionRequest.newBuilder().setListServices("").build());
    List<String> names =
        list.getListServicesResponse().getServiceList().stream()
            .map(ServiceResponse::getName)
            .toList();
    assertTrue(names.contains("colonnade.v1.ColumnStoreService"), names.toString());
    assertTrue(names.contains("grpc.health.v1.Health"), names.toString());
    assertTrue(names.contains("grpc.reflection.v1.ServerReflection"), names.toString());
    assertTrue(names.contains("grpc.reflection.v1alpha.ServerReflection"), names.toString());

    ServerReflectionResponse files =
        reflect(
            ServerReflectionRequest.newBuilder()
                .setFileContainingSymbol("colonnade.v1.ColumnStoreService")
                .build());
    FileDescriptorProto file =
        FileDescriptorProto.parseFrom(files.getFileDescriptorResponse().getFileDescriptorProto(0));
    assertEquals("colonnade/v1/column_store_service.proto", file.getName());
  }

  @Test
  void healthAnswers() {
    health.setStatus("", ServingStatus.SERVING);
    assertEquals(
        ServingStatus.SERVING,
        HealthGrpc.newBlockingStub(channel)
            .withDeadlineAfter(10, TimeUnit.SECONDS)
            .check(HealthCheckRequest.getDefaultInstance())
            .getStatus());
  }

  /** Many generic clients still ask for v1alpha only. */
  @SuppressWarnings("deprecation")
  private static BindableService olderReflection() {
    return ProtoReflectionService.newInstance();
  }

  private ServerReflectionResponse reflect(ServerReflectionRequest request) throws Exception {
    CompletableFuture<ServerReflectionResponse> answer = new CompletableFuture<>();
    StreamObserver<ServerReflectionRequest> requests =
        ServerReflectionGrpc.newStub(channel)
            .withDeadlineAfter(10, TimeUnit.SECONDS)
            .serverReflectionInfo(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ServerReflectionResponse value) {
                    answer.complete(value);
                  }

                  @Override
                  public void onError(Throwable failure) {
                    answer.completeExceptionally(failure);
                  }

                  @Override
                  public void onCompleted() {
                    answer.completeExceptionally(new AssertionError("no answer"));
                  }
                });
    requests.onNext(request);
    requests.onCompleted();
    return answer.get(10, TimeUnit.SECONDS);
  }

  private static final class AlwaysRefuses
      extends ColumnStoreServiceGrpc.ColumnStoreServiceImplBase {
    @Override
    public void get(GetRequest request, StreamObserver<GetResponse> answers) {
      answers.onError(
          StatusProto.toStatusRuntimeException(
              com.google.rpc.Status.newBuilder()
                  .setCode(Code.INVALID_ARGUMENT_VALUE)
                  .setMessage("keyspace is empty; name one")
                  .addDetails(
                      Any.pack(
                          ErrorInfo.newBuilder()
                              .setDomain("colonnade")
                              .setReason("INVALID_REQUEST")
                              .putMetadata("applied", "no")
                              .build()))
                  .addDetails(
                      Any.pack(
                          BadRequest.newBuilder()
                              .addFieldViolations(
                                  BadRequest.FieldViolation.newBuilder()
                                      .setField("keyspace")
                                      .setDescription("is empty"))
                              .build()))
                  .build()));
    }
  }
}

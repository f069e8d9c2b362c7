package dev.colonnade.server.service.rpc;

import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.BatchMutateResponse;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetCountRequest;
import dev.colonnade.v1.GetCountResponse;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.InsertResponse;
import dev.colonnade.v1.MultigetCountRequest;
import dev.colonnade.v1.MultigetCountResponse;
import dev.colonnade.v1.RemoveRequest;
import dev.colonnade.v1.RemoveResponse;
import dev.colonnade.v1.StreamMutateRequest;
import dev.colonnade.v1.StreamMutateResponse;
import dev.colonnade.v1.TouchRequest;
import dev.colonnade.v1.TouchResponse;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * The data calls; each is passed to the class that handles its kind. Reads that answer with columns
 * encode their answers themselves ({@link EncodedMessage}), so they are bound here and not by the
 * generated code.
 */
final class ColumnStoreService implements BindableService {

  private final RpcContext rpc;
  private final SliceCalls slices;
  private final MultigetCalls multigets;
  private final RangeCalls ranges;
  private final WriteCalls writes;
  private final StreamReadCalls streams;

  ColumnStoreService(RpcContext rpc) {
    this.rpc = rpc;
    this.slices = new SliceCalls(rpc);
    this.multigets = new MultigetCalls(rpc);
    this.ranges = new RangeCalls(rpc);
    this.writes = new WriteCalls(rpc);
    this.streams = new StreamReadCalls(rpc, ranges);
  }

  @Override
  public ServerServiceDefinition bindService() {
    Map<String, ServerMethodDefinition<?, EncodedMessage>> encoded = new HashMap<>();
    List.of(
            single(ColumnStoreServiceGrpc.getGetMethod(), slices::get),
            single(ColumnStoreServiceGrpc.getGetSliceMethod(), slices::slice),
            single(ColumnStoreServiceGrpc.getMultigetSliceMethod(), multigets::slice),
            single(ColumnStoreServiceGrpc.getGetRangeSlicesMethod(), ranges::slices),
            stream(ColumnStoreServiceGrpc.getStreamSliceMethod(), streams::slice),
            stream(ColumnStoreServiceGrpc.getStreamRangeSlicesMethod(), streams::ranges))
        .forEach(method -> encoded.put(method.getMethodDescriptor().getFullMethodName(), method));
    ServerServiceDefinition plain = new PlainCalls().bindService();
    List<ServerMethodDefinition<?, ?>> methods = new ArrayList<>();
    ServiceDescriptor.Builder described =
        ServiceDescriptor.newBuilder(plain.getServiceDescriptor().getName())
            .setSchemaDescriptor(plain.getServiceDescriptor().getSchemaDescriptor());
    for (ServerMethodDefinition<?, ?> method : plain.getMethods()) {
      ServerMethodDefinition<?, ?> own =
          encoded.get(method.getMethodDescriptor().getFullMethodName());
      methods.add(own == null ? method : own);
      described.addMethod(methods.get(methods.size() - 1).getMethodDescriptor());
    }
    ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(described.build());
    methods.forEach(service::addMethod);
    return service.build();
  }

  /** A call with one answer. */
  private <Q> ServerMethodDefinition<Q, EncodedMessage> single(
      MethodDescriptor<Q, ?> method, Function<Q, CompletableFuture<EncodedMessage>> work) {
    return ServerMethodDefinition.create(
        encoded(method),
        ServerCalls.asyncUnaryCall(
            (request, observer) -> rpc.read(observer, () -> work.apply(request))));
  }

  /** A call with a stream of answers. */
  private <Q> ServerMethodDefinition<Q, EncodedMessage> stream(
      MethodDescriptor<Q, ?> method,
      BiConsumer<Q, ServerCallStreamObserver<EncodedMessage>> start) {
    return ServerMethodDefinition.create(
        encoded(method),
        ServerCalls.asyncServerStreamingCall(
            (request, observer) -> {
              try {
                start.accept(request, (ServerCallStreamObserver<EncodedMessage>) observer);
              } catch (RuntimeException e) {
                observer.onError(rpc.errors().ofRead(e));
              }
            }));
  }

  private static <Q> MethodDescriptor<Q, EncodedMessage> encoded(MethodDescriptor<Q, ?> method) {
    return method.toBuilder(method.getRequestMarshaller(), EncodedMessage.MARSHALLER).build();
  }

  /** The calls with small answers. */
  private final class PlainCalls extends ColumnStoreServiceGrpc.ColumnStoreServiceImplBase {

    @Override
    public void getCount(GetCountRequest request, StreamObserver<GetCountResponse> observer) {
      rpc.read(observer, () -> slices.count(request));
    }

    @Override
    public void multigetCount(
        MultigetCountRequest request, StreamObserver<MultigetCountResponse> observer) {
      rpc.read(observer, () -> multigets.count(request));
    }

    @Override
    public void insert(InsertRequest request, StreamObserver<InsertResponse> observer) {
      rpc.write(observer, () -> writes.insert(request));
    }

    @Override
    public void remove(RemoveRequest request, StreamObserver<RemoveResponse> observer) {
      rpc.write(observer, () -> writes.remove(request));
    }

    @Override
    public void batchMutate(
        BatchMutateRequest request, StreamObserver<BatchMutateResponse> observer) {
      rpc.write(observer, () -> writes.batch(request));
    }

    @Override
    public void touch(TouchRequest request, StreamObserver<TouchResponse> observer) {
      rpc.read(observer, () -> multigets.touch(request));
    }

    @Override
    public StreamObserver<StreamMutateRequest> streamMutate(
        StreamObserver<StreamMutateResponse> observer) {
      return MutateStream.start(
          (ServerCallStreamObserver<StreamMutateResponse>) observer,
          writes::batch,
          rpc.errors(),
          rpc.settings().streams());
    }
  }
}

package dev.colonnade.server.service.rpc;

import dev.colonnade.server.service.accounts.Identity;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.StreamMutateRequest;
import dev.colonnade.v1.StreamMutateResponse;
import dev.colonnade.v1.StreamRangeSlicesRequest;
import dev.colonnade.v1.StreamSliceRequest;
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
import java.util.function.BiConsumer;

/**
 * The data calls; each is passed to the class that handles its kind. Reads that answer with columns
 * encode their answers themselves ({@link EncodedMessage}), so they are bound here and not by the
 * generated code.
 */
final class ColumnStoreService implements BindableService {

  private static final String BATCH =
      ColumnStoreServiceGrpc.getBatchMutateMethod().getFullMethodName();

  private final RpcContext rpc;
  private final WriteCalls writes;
  private final StreamReadCalls streams;
  private final List<DataCall<?, ?>> calls;
  private final Sessions sessions;
  private final AccessChecks checks;

  /**
   * Creates the service.
   *
   * @param guard counts the calls of sessions
   * @param metering reports them
   * @param checks decides on them, and on the batches of streams
   */
  ColumnStoreService(
      RpcContext rpc, GuardInterceptor guard, MeteringInterceptor metering, AccessChecks checks) {
    this.rpc = rpc;
    this.checks = checks;
    this.writes = new WriteCalls(rpc);
    RangeCalls ranges = new RangeCalls(rpc);
    this.streams = new StreamReadCalls(rpc, ranges);
    this.calls = DataCalls.of(new SliceCalls(rpc), new MultigetCalls(rpc), ranges, writes);
    this.sessions = new Sessions(calls, rpc, guard, metering, checks);
  }

  /** Its sessions. */
  Sessions sessions() {
    return sessions;
  }

  @Override
  public ServerServiceDefinition bindService() {
    Map<String, ServerMethodDefinition<?, ?>> own = new HashMap<>();
    calls.forEach(call -> own.put(call.name(), single(call)));
    List.of(
            stream(
                ColumnStoreServiceGrpc.getStreamSliceMethod(),
                CallSubject.row(
                    StreamSliceRequest::getKeyspace,
                    q -> q.getColumnParent().getColumnFamily(),
                    StreamSliceRequest::getKey,
                    q -> q.getOptions().getConsistencyLevel()),
                streams::slice),
            stream(
                ColumnStoreServiceGrpc.getStreamRangeSlicesMethod(),
                CallSubject.rows(
                    StreamRangeSlicesRequest::getKeyspace,
                    q -> q.getColumnParent().getColumnFamily(),
                    q -> 0,
                    q -> q.getOptions().getConsistencyLevel()),
                streams::ranges),
            ServerMethodDefinition.create(
                EncodedMessage.answering(ColumnStoreServiceGrpc.getSessionMethod()),
                (call, headers) -> sessions.start(call)))
        .forEach(method -> own.put(method.getMethodDescriptor().getFullMethodName(), method));
    ServerServiceDefinition plain = new PlainCalls().bindService();
    List<ServerMethodDefinition<?, ?>> methods = new ArrayList<>();
    ServiceDescriptor.Builder described =
        ServiceDescriptor.newBuilder(plain.getServiceDescriptor().getName())
            .setSchemaDescriptor(plain.getServiceDescriptor().getSchemaDescriptor());
    for (ServerMethodDefinition<?, ?> method : plain.getMethods()) {
      methods.add(own.getOrDefault(method.getMethodDescriptor().getFullMethodName(), method));
      described.addMethod(methods.get(methods.size() - 1).getMethodDescriptor());
    }
    ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(described.build());
    methods.forEach(service::addMethod);
    return service.build();
  }

  /** A call with one answer. */
  private <Q, R> ServerMethodDefinition<Q, R> single(DataCall<Q, R> call) {
    return ServerMethodDefinition.create(
        call.method(),
        ServerCalls.asyncUnaryCall((request, observer) -> rpc.answer(call, request, observer)));
  }

  /** A call with a stream of answers. */
  private <Q> ServerMethodDefinition<Q, EncodedMessage> stream(
      MethodDescriptor<Q, ?> method,
      CallSubject<Q> subject,
      BiConsumer<Q, ServerCallStreamObserver<EncodedMessage>> start) {
    return ServerMethodDefinition.create(
        EncodedMessage.answering(method),
        ServerCalls.asyncServerStreamingCall(
            (request, observer) -> {
              CallMemory.current().isAbout(subject, request);
              try {
                start.accept(request, (ServerCallStreamObserver<EncodedMessage>) observer);
              } catch (RuntimeException e) {
                observer.onError(rpc.errors().ofRead(e));
              }
            }));
  }

  /** The call that is bound by the generated code. */
  private final class PlainCalls extends ColumnStoreServiceGrpc.ColumnStoreServiceImplBase {

    @Override
    public StreamObserver<StreamMutateRequest> streamMutate(
        StreamObserver<StreamMutateResponse> observer) {
      Identity caller = CallIdentity.current();
      String address = CallIdentity.currentAddress();
      return MutateStream.start(
          (ServerCallStreamObserver<StreamMutateResponse>) observer,
          batch -> {
            checks.checkPart(caller, address, BATCH, batch);
            return writes.checked(batch, rpc.scope());
          },
          rpc);
    }
  }
}

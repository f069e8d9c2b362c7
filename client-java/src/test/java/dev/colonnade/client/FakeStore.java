package dev.colonnade.client;

import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.BatchMutateResponse;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.MutateOutcome;
import dev.colonnade.v1.RequestStats;
import dev.colonnade.v1.SessionRequest;
import dev.colonnade.v1.SessionResponse;
import dev.colonnade.v1.StreamMutateRequest;
import dev.colonnade.v1.StreamMutateResponse;
import dev.colonnade.v1.StreamSliceRequest;
import dev.colonnade.v1.StreamSliceResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

/** A store that answers as it is told, and a client of it. */
final class FakeStore extends ColumnStoreServiceGrpc.ColumnStoreServiceImplBase
    implements AutoCloseable, ClientInterceptor {

  final Queue<BatchMutateRequest> batches = new ConcurrentLinkedQueue<>();
  final Queue<StreamSliceRequest> streams = new ConcurrentLinkedQueue<>();
  final Queue<GetSliceRequest> slices = new ConcurrentLinkedQueue<>();
  final AtomicInteger messagesAskedFor = new AtomicInteger();
  final CountDownLatch cancelled = new CountDownLatch(1);
  final Colonnade client;

  volatile BiConsumer<StreamSliceRequest, StreamObserver<StreamSliceResponse>> onStream =
      (request, answer) -> answer.onCompleted();
  volatile BiConsumer<GetSliceRequest, StreamObserver<GetSliceResponse>> onSlice =
      (request, answer) -> answer.onCompleted();

  final Queue<StreamMutateRequest> bulk = new ConcurrentLinkedQueue<>();
  volatile BiConsumer<StreamMutateRequest, StreamObserver<StreamMutateResponse>> onBulk =
      (request, answer) -> answer.onNext(outcome(request.getSequence(), Status.Code.OK));
  volatile boolean endsBulk = true;
  volatile RequestStats batchStats = RequestStats.getDefaultInstance();

  /** The header traceparent of each call that has it, of a session or by itself. */
  final Queue<String> traceparents = new ConcurrentLinkedQueue<>();

  private final boolean sessions;
  private final Server server;

  /**
   * A store and its client.
   *
   * @param sessions whether the store has sessions; if so, the client has opened one
   */
  FakeStore(ClientOptions options, boolean sessions) {
    this.sessions = sessions;
    String name = InProcessServerBuilder.generateName();
    try {
      server =
          InProcessServerBuilder.forName(name)
              .addService(this)
              .intercept(new TraceparentReader(traceparents))
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    client = new Colonnade(InProcessChannelBuilder.forName(name).intercept(this), options);
    Await.until(() -> !sessions || client.sessions().current() != null);
  }

  ColumnFamily<String, Long, String> family() {
    return client
        .keyspace("K")
        .columnFamily("F", Serializers.UTF8, Serializers.LONG, Serializers.UTF8);
  }

  /** Entries named by the numbers, with a token that is the last of them. */
  static StreamSliceResponse chunk(long... names) {
    StreamSliceResponse.Builder chunk = StreamSliceResponse.newBuilder();
    for (long name : names) {
      chunk.addColumns(column(name)).setResumeToken(Long.toString(name));
    }
    return chunk.build();
  }

  static ColumnOrSuperColumn column(long name) {
    ColumnOrSuperColumn.Builder entry = ColumnOrSuperColumn.newBuilder();
    entry.getColumnBuilder().setName(Bytes.of(Serializers.LONG, name)).setTimestamp(1);
    return entry.build();
  }

  static List<Long> names(List<Column<Long, String>> columns) {
    return columns.stream().map(Column::name).toList();
  }

  static List<Long> names(Cursor<Column<Long, String>> cursor) {
    List<Long> names = new ArrayList<>();
    cursor.forEachRemaining(column -> names.add(column.name()));
    return names;
  }

  @Override
  public void streamSlice(StreamSliceRequest request, StreamObserver<StreamSliceResponse> answer) {
    streams.add(request);
    ((ServerCallStreamObserver<StreamSliceResponse>) answer)
        .setOnCancelHandler(cancelled::countDown);
    onStream.accept(request, answer);
  }

  @Override
  public void getSlice(GetSliceRequest request, StreamObserver<GetSliceResponse> answer) {
    slices.add(request);
    ((ServerCallStreamObserver<GetSliceResponse>) answer).setOnCancelHandler(cancelled::countDown);
    onSlice.accept(request, answer);
  }

  @Override
  public void batchMutate(BatchMutateRequest request, StreamObserver<BatchMutateResponse> answer) {
    batches.add(request);
    BatchMutateResponse.Builder response = BatchMutateResponse.newBuilder();
    if (request.getOptions().getIncludeStats()) {
      response.setStats(batchStats);
    }
    answer.onNext(response.build());
    answer.onCompleted();
  }

  @Override
  public StreamObserver<StreamMutateRequest> streamMutate(
      StreamObserver<StreamMutateResponse> answer) {
    ((ServerCallStreamObserver<StreamMutateResponse>) answer)
        .setOnCancelHandler(cancelled::countDown);
    return new StreamObserver<>() {
      @Override
      public void onNext(StreamMutateRequest request) {
        bulk.add(request);
        onBulk.accept(request, answer);
      }

      @Override
      public void onError(Throwable thrown) {
        cancelled.countDown();
      }

      @Override
      public void onCompleted() {
        if (endsBulk) {
          answer.onCompleted();
        }
      }
    };
  }

  /** Calls of a session are answered as unary ones are. */
  @Override
  public StreamObserver<SessionRequest> session(StreamObserver<SessionResponse> answers) {
    return sessions ? new SessionDispatch(this, answers) : super.session(answers);
  }

  /** How a batch ended. */
  static StreamMutateResponse outcome(long sequence, Status.Code code) {
    return StreamMutateResponse.newBuilder()
        .addOutcomes(
            MutateOutcome.newBuilder()
                .setSequence(sequence)
                .setCode(code.value())
                .setReason(code == Status.Code.OK ? "" : "REASON")
                .setMessage(code == Status.Code.OK ? "" : "what happened")
                .setApplied(
                    code == Status.Code.OK
                        ? dev.colonnade.v1.Applied.APPLIED_YES
                        : dev.colonnade.v1.Applied.APPLIED_NO))
        .build();
  }

  @Override
  public <Q, R> ClientCall<Q, R> interceptCall(
      MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
    return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
      @Override
      public void request(int messages) {
        if (!method.equals(SessionCodec.METHOD)) {
          messagesAskedFor.addAndGet(messages);
        }
        super.request(messages);
      }
    };
  }

  @Override
  public void close() {
    client.close();
    server.shutdownNow();
  }
}

package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import dev.colonnade.v1.BatchMutateResponse;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetCountResponse;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.SessionAnswer;
import dev.colonnade.v1.SessionCall;
import dev.colonnade.v1.SessionLimits;
import dev.colonnade.v1.SessionRequest;
import dev.colonnade.v1.SessionResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A node that a test plays: it has sessions, whose calls wait until the test answers them. */
final class FakeSessions extends ColumnStoreServiceGrpc.ColumnStoreServiceImplBase
    implements AutoCloseable {

  static final SessionLimits LIMITS =
      SessionLimits.newBuilder()
          .setMaxCalls(16)
          .setMaxBytes(1 << 20)
          .setMaxMessageBytes(1 << 20)
          .build();

  /** What the client takes for the time, in nanoseconds. */
  final AtomicLong clock = new AtomicLong();

  /** Streams that clients have opened, refused ones too. */
  final AtomicInteger opened = new AtomicInteger();

  final AtomicInteger unaryCalls = new AtomicInteger();

  /** Why the node has no session for its clients, while it has none. */
  volatile @Nullable Status refusal;

  volatile SessionLimits limits = LIMITS;

  /** What becomes of a call; by default it waits for {@link Stream#takeCall}. */
  volatile @Nullable BiConsumer<Stream, SessionCall> onCall;

  /** Runs on a thread of the client, before it starts a stream. */
  volatile Runnable beforeStart = () -> {};

  final Colonnade client;

  /** While true, the client's network thread does not get to what it was asked to do. */
  volatile boolean networkIsBusy;

  private final Queue<Runnable> networkTasks = new ConcurrentLinkedQueue<>();
  private final BlockingQueue<Stream> streams = new LinkedBlockingQueue<>();
  private final Server server;

  FakeSessions(ClientOptions options) {
    this(options, Map.of());
  }

  /**
   * A node whose client has others, too.
   *
   * @param others the names of their servers in this process by their targets
   */
  FakeSessions(ClientOptions options, Map<String, String> others) {
    String name = InProcessServerBuilder.generateName();
    try {
      server = InProcessServerBuilder.forName(name).addService(this).build().start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    client =
        new Colonnade(
            java.util.stream.Stream.concat(
                    java.util.stream.Stream.of("one"), others.keySet().stream())
                .toList(),
            new Network() {
              @Override
              public Route to(String target) {
                return new Route(
                    InProcessChannelBuilder.forName(others.getOrDefault(target, name))
                        .intercept(new StartOfSessions()),
                    MoreExecutors.newSequentialExecutor(FakeSessions.this::runOnNetwork));
              }

              @Override
              public void close() {}
            },
            options.withDiscovery(false),
            clock::get);
  }

  private void runOnNetwork(Runnable task) {
    if (networkIsBusy) {
      networkTasks.add(task);
    } else {
      task.run();
    }
  }

  /** The client's network thread does what it was asked to. */
  void freeNetwork() {
    networkIsBusy = false;
    for (Runnable task = networkTasks.poll(); task != null; task = networkTasks.poll()) {
      task.run();
    }
  }

  private final class StartOfSessions implements ClientInterceptor {

    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
        MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
      ClientCall<Q, R> call = next.newCall(method, options);
      if (!method.getFullMethodName().equals(SessionCodec.METHOD.getFullMethodName())) {
        return call;
      }
      return new SimpleForwardingClientCall<>(call) {
        @Override
        public void start(Listener<R> responses, Metadata headers) {
          beforeStart.run();
          super.start(responses, headers);
        }
      };
    }
  }

  ColumnFamily<String, String, String> family() {
    return client
        .keyspace("K")
        .columnFamily("F", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
  }

  /** Waits until the client has a session, which it opens with a call. */
  Stream awaitSession() throws InterruptedException {
    Await.until(() -> client.sessions().current() != null);
    Stream stream = streams.poll(10, TimeUnit.SECONDS);
    assertNotNull(stream, "no session was opened");
    return stream;
  }

  /** Waits until the client has lost its session. */
  void awaitNoSession() {
    Await.until(() -> !client.sessions().isOpen());
  }

  /** Lets the client's pauses between attempts pass. */
  void passTime(long nanos) {
    clock.addAndGet(nanos);
  }

  @Override
  public StreamObserver<SessionRequest> session(StreamObserver<SessionResponse> answers) {
    opened.incrementAndGet();
    Status why = refusal;
    Stream stream = new Stream(answers);
    if (why == null) {
      stream.send(SessionResponse.newBuilder().setLimits(limits));
      streams.add(stream);
    } else {
      answers.onError(why.asException());
    }
    return stream;
  }

  @Override
  public void getSlice(
      dev.colonnade.v1.GetSliceRequest request, StreamObserver<GetSliceResponse> answer) {
    unaryCalls.incrementAndGet();
    answer.onNext(GetSliceResponse.getDefaultInstance());
    answer.onCompleted();
  }

  @Override
  public void getCount(
      dev.colonnade.v1.GetCountRequest request, StreamObserver<GetCountResponse> answer) {
    unaryCalls.incrementAndGet();
    answer.onNext(GetCountResponse.newBuilder().setCount(-1).build());
    answer.onCompleted();
  }

  @Override
  public void batchMutate(
      dev.colonnade.v1.BatchMutateRequest request, StreamObserver<BatchMutateResponse> answer) {
    unaryCalls.incrementAndGet();
    answer.onNext(BatchMutateResponse.getDefaultInstance());
    answer.onCompleted();
  }

  @Override
  public void close() {
    // The node's end first: the client would wait for answers that no test gives any more.
    server.shutdownNow();
    client.close();
  }

  /** The node's side of one session. Thread-safe. */
  final class Stream implements StreamObserver<SessionRequest> {

    final BlockingQueue<SessionRequest> messages = new LinkedBlockingQueue<>();
    final BlockingQueue<SessionCall> calls = new LinkedBlockingQueue<>();
    final BlockingQueue<Long> cancelled = new LinkedBlockingQueue<>();
    final BlockingQueue<String> ends = new LinkedBlockingQueue<>();

    private final StreamObserver<SessionResponse> answers;

    Stream(StreamObserver<SessionResponse> answers) {
      this.answers = answers;
    }

    @Override
    public void onNext(SessionRequest request) {
      messages.add(request);
      BiConsumer<Stream, SessionCall> handler = onCall;
      for (SessionCall call : request.getCallsList()) {
        if (handler == null) {
          calls.add(call);
        } else {
          handler.accept(this, call);
        }
      }
      cancelled.addAll(request.getCancelledList());
    }

    @Override
    public void onError(Throwable thrown) {
      ends.add("cancelled");
    }

    @Override
    public void onCompleted() {
      ends.add("half-closed");
    }

    SessionCall takeCall() throws InterruptedException {
      SessionCall call = calls.poll(10, TimeUnit.SECONDS);
      assertNotNull(call, "no call came");
      return call;
    }

    List<SessionCall> takeCalls(int count) throws InterruptedException {
      List<SessionCall> taken = new ArrayList<>();
      while (taken.size() < count) {
        taken.add(takeCall());
      }
      return taken;
    }

    synchronized void send(SessionResponse.Builder message) {
      answers.onNext(message.build());
    }

    void answer(SessionAnswer... several) {
      send(SessionResponse.newBuilder().addAllAnswers(List.of(several)));
    }

    void answer(List<SessionAnswer> several) {
      send(SessionResponse.newBuilder().addAllAnswers(several));
    }

    void end(Status status) {
      answers.onError(status.asException());
    }

    void complete() {
      answers.onCompleted();
    }
  }

  /** A column named and valued after the row, so that an answer shows whose it is. */
  static SessionAnswer rowOf(SessionCall call) {
    return SessionAnswer.newBuilder().setId(call.getId()).setGetSlice(slice(call)).build();
  }

  static GetSliceResponse slice(SessionCall call) {
    ByteString key = call.getGetSlice().getKey();
    GetSliceResponse.Builder slice = GetSliceResponse.newBuilder();
    slice.addColumnsBuilder().getColumnBuilder().setName(key).setValue(key).setTimestamp(1);
    return slice.build();
  }

  static SessionAnswer written(SessionCall call) {
    return SessionAnswer.newBuilder()
        .setId(call.getId())
        .setBatchMutate(BatchMutateResponse.getDefaultInstance())
        .build();
  }

  /** An answer in pieces of a given length in bytes. */
  static List<SessionAnswer> pieces(long id, Message answer, int bytes) {
    ByteString whole = answer.toByteString();
    List<SessionAnswer> pieces = new ArrayList<>();
    for (int from = 0; from < whole.size(); from += bytes) {
      int to = Math.min(whole.size(), from + bytes);
      pieces.add(
          SessionAnswer.newBuilder()
              .setId(id)
              .setPiece(whole.substring(from, to))
              .setLastPiece(to == whole.size())
              .build());
    }
    return pieces;
  }
}

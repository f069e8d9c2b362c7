package dev.colonnade.server.sim.cluster;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.rpc.ErrorInfo;
import dev.colonnade.server.history.Outcome;
import dev.colonnade.server.sim.ConnectionRefusedException;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.Rng;
import dev.colonnade.server.sim.SessionChannel;
import dev.colonnade.server.sim.SimConnection;
import dev.colonnade.server.sim.World;
import dev.colonnade.v1.Applied;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.ColumnStoreServiceGrpc.ColumnStoreServiceFutureStub;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.MutateOutcome;
import dev.colonnade.v1.StreamMutateRequest;
import dev.colonnade.v1.StreamMutateResponse;
import dev.colonnade.v1.StreamSliceRequest;
import dev.colonnade.v1.StreamSliceResponse;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.AbstractStub;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A program that calls the nodes of a world with generated stubs, and has a connection to each of
 * them. How a call is made, and what becomes of it before it is answered, is drawn.
 */
final class NodeClient {
  /** The user that programs of a run are. */
  static final String USER = "simulated";

  static final String PASSWORD = "a password of the simulation";

  /** A connection on which an answer is so late is given up. */
  private static final Duration LATE = Duration.ofSeconds(1);

  private final World<CoreNode> world;
  private final String user;
  private final Manners manners;
  private final Rng rng;
  private final Map<String, Line> lines = new TreeMap<>();
  private final Map<String, Long> seen;

  /**
   * A program without connections.
   *
   * @param name decides what is drawn
   * @param user as whom it calls, where nodes ask
   * @param seen where it counts what it met
   */
  NodeClient(
      World<CoreNode> world, String name, String user, Manners manners, Map<String, Long> seen) {
    this.world = world;
    this.user = user;
    this.manners = manners;
    this.rng = new Rng(world.random("client " + name));
    this.seen = seen;
  }

  /** Changes rows. */
  CompletableFuture<Void> write(Machine<CoreNode> at, BatchMutateRequest batch) {
    if (rng.chance(manners.onStreams())) {
      return on(at, line -> line.changes().send(batch));
    }
    return call(at, stub -> stub.batchMutate(batch)).thenAccept(answer -> {});
  }

  /** Reads what a slice of a row holds, page by page. */
  CompletableFuture<List<ColumnOrSuperColumn>> read(Machine<CoreNode> at, GetSliceRequest slice) {
    if (rng.chance(manners.onStreams())) {
      return on(at, line -> stream(line, slice));
    }
    return pages(at, slice.toBuilder().setPageBytes(manners.pageBytes()).build(), List.of());
  }

  private CompletableFuture<List<ColumnOrSuperColumn>> pages(
      Machine<CoreNode> at, GetSliceRequest request, List<ColumnOrSuperColumn> before) {
    return call(at, stub -> stub.getSlice(request))
        .thenCompose(
            (GetSliceResponse page) -> {
              List<ColumnOrSuperColumn> all = new ArrayList<>(before);
              all.addAll(page.getColumnsList());
              if (page.getNextPageToken().isEmpty()) {
                return CompletableFuture.completedFuture(all);
              }
              count("page of several");
              return pages(
                  at, request.toBuilder().setPageToken(page.getNextPageToken()).build(), all);
            });
  }

  /** Makes a call with one answer, with stubs of the data. */
  <R> CompletableFuture<R> call(
      Machine<CoreNode> at, Function<ColumnStoreServiceFutureStub, ListenableFuture<R>> call) {
    boolean onSession = rng.chance(manners.onSessions());
    return on(
        at,
        line -> {
          count(onSession ? "call on a session" : "unary call");
          ListenableFuture<R> sent =
              call.apply(
                  patiently(
                      ColumnStoreServiceGrpc.newFutureStub(
                          onSession ? line.session : line.channel)));
          maybe(manners.cancelled(), "call cancelled", () -> sent.cancel(true));
          if (onSession) {
            maybe(manners.halfClosed(), "session half-closed", line.session::halfClose);
          }
          return future(sent);
        });
  }

  /** Makes a call with one answer, of any service. */
  <S extends AbstractStub<S>, R> CompletableFuture<R> call(
      Machine<CoreNode> at, Function<Channel, S> service, Function<S, ListenableFuture<R>> call) {
    return on(
        at,
        line -> {
          ListenableFuture<R> sent = call.apply(patiently(service.apply(line.channel)));
          maybe(manners.cancelled(), "call cancelled", () -> sent.cancel(true));
          return future(sent);
        });
  }

  private <S extends AbstractStub<S>> S patiently(S stub) {
    Duration patience = rng.chance(manners.hasty()) ? rng.micros(100, 50_000) : manners.timeout();
    return stub.withDeadline(
        Deadline.after(patience.toNanos(), TimeUnit.NANOSECONDS, world.ticker()));
  }

  /** Makes a call in any way; what comes of it may be lost with the connection. */
  private <R> CompletableFuture<R> on(
      Machine<CoreNode> at, Function<Line, CompletableFuture<R>> call) {
    Line line;
    try {
      line = line(at);
    } catch (ConnectionRefusedException e) {
      return CompletableFuture.failedFuture(e);
    }
    CompletableFuture<R> answer = call.apply(line);
    maybe(manners.broken(), "connection broken by its client", line.connection::breakOff);
    world.after(
        manners.timeout().plus(LATE),
        () -> {
          if (!answer.isDone()) {
            line.connection.breakOff();
          }
        });
    return answer;
  }

  private void maybe(int perMille, String what, Runnable action) {
    if (rng.chance(perMille)) {
      world.after(
          rng.micros(0, rng.chance(500) ? 1_000 : 20_000),
          () -> {
            count(what);
            action.run();
          });
    }
  }

  private void count(String what) {
    seen.merge(what, 1L, Long::sum);
  }

  private Line line(Machine<CoreNode> at) {
    Line line = lines.get(at.name());
    if (line == null || line.connection.isBroken()) {
      line = new Line(at.connect());
      lines.put(at.name(), line);
    }
    return line;
  }

  /** What a client knows after a change failed so. */
  static Outcome outcome(Throwable thrown) {
    Throwable failure = thrown instanceof CompletionException ? thrown.getCause() : thrown;
    if (failure instanceof ConnectionRefusedException) {
      return Outcome.REFUSED;
    }
    if (failure instanceof NotApplied) {
      return Outcome.REFUSED;
    }
    ErrorInfo info = info(failure);
    return info != null && info.getMetadataOrDefault("applied", "").equals("no")
        ? Outcome.REFUSED
        : Outcome.UNKNOWN;
  }

  private static @Nullable ErrorInfo info(@Nullable Throwable failure) {
    if (failure == null) {
      return null;
    }
    com.google.rpc.Status status = StatusProto.fromThrowable(failure);
    if (status != null) {
      for (com.google.protobuf.Any detail : status.getDetailsList()) {
        if (detail.is(ErrorInfo.class)) {
          try {
            return detail.unpack(ErrorInfo.class);
          } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            throw new AssertionError("an error that cannot be read", e);
          }
        }
      }
    }
    return null;
  }

  /** No node may answer so, whatever goes wrong around it. */
  private void checked(String reason, Status status, String words) {
    if (reason.equals("INTERNAL_ERROR")
        || (reason.isEmpty() && status.getCode() == Status.Code.INTERNAL)
        || status.getCode() == Status.Code.UNKNOWN
        || SessionChannel.UNANSWERED.equals(status.getDescription())) {
      world.after(
          Duration.ZERO,
          () -> {
            throw new AssertionError("a node answered: " + status.getCode() + " " + words);
          });
    }
  }

  private <R> CompletableFuture<R> future(ListenableFuture<R> sent) {
    CompletableFuture<R> answer = new CompletableFuture<>();
    sent.addListener(
        () -> {
          try {
            answer.complete(sent.get());
          } catch (ExecutionException e) {
            failed(answer, e.getCause());
          } catch (InterruptedException | RuntimeException e) {
            answer.completeExceptionally(e);
          }
        },
        MoreExecutors.directExecutor());
    return answer;
  }

  private void failed(CompletableFuture<?> answer, @Nullable Throwable failure) {
    if (failure instanceof StatusRuntimeException status) {
      ErrorInfo info = info(status);
      checked(info == null ? "" : info.getReason(), status.getStatus(), status.toString());
    }
    answer.completeExceptionally(failure == null ? new AssertionError("no failure") : failure);
  }

  private CompletableFuture<List<ColumnOrSuperColumn>> stream(Line line, GetSliceRequest slice) {
    count("call on a stream");
    CompletableFuture<List<ColumnOrSuperColumn>> answer = new CompletableFuture<>();
    List<ColumnOrSuperColumn> all = new ArrayList<>();
    Context.CancellableContext context = Context.ROOT.withCancellation();
    maybe(
        manners.cancelled(),
        "call cancelled",
        () -> context.cancel(Status.CANCELLED.asException()));
    context.run(
        () ->
            patiently(ColumnStoreServiceGrpc.newStub(line.channel))
                .streamSlice(
                    StreamSliceRequest.newBuilder()
                        .setKeyspace(slice.getKeyspace())
                        .setKey(slice.getKey())
                        .setColumnParent(slice.getColumnParent())
                        .setPredicate(slice.getPredicate())
                        .setOptions(slice.getOptions())
                        .setMaxChunkBytes(manners.pageBytes())
                        .build(),
                    new StreamObserver<StreamSliceResponse>() {
                      @Override
                      public void onNext(StreamSliceResponse chunk) {
                        all.addAll(chunk.getColumnsList());
                      }

                      @Override
                      public void onError(Throwable failure) {
                        failed(answer, failure);
                      }

                      @Override
                      public void onCompleted() {
                        answer.complete(all);
                      }
                    }));
    return answer;
  }

  /** A batch of a stream that the node says was not applied. */
  private static final class NotApplied extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotApplied(String words) {
      super(words);
    }
  }

  /** A connection to a node, with what is open on it. */
  private final class Line {
    private final SimConnection connection;
    private final Channel channel;
    private final SessionChannel session;
    private @Nullable Changes changes;

    Line(SimConnection connection) {
      this.connection = connection;
      this.channel =
          manners.authenticated()
              ? ClientInterceptors.intercept(
                  connection.channel(), MetadataUtils.newAttachHeadersInterceptor(credentials()))
              : connection.channel();
      this.session = new SessionChannel(channel);
    }

    Changes changes() {
      Changes open = changes;
      if (open == null || open.over) {
        open = new Changes();
        changes = open;
        open.requests = ColumnStoreServiceGrpc.newStub(channel).streamMutate(open);
      }
      return open;
    }
  }

  /** A stream of changes. */
  private final class Changes implements StreamObserver<StreamMutateResponse> {
    private final Map<Long, CompletableFuture<Void>> waiting = new TreeMap<>();
    private @Nullable StreamObserver<StreamMutateRequest> requests;
    private long last;
    private boolean over;

    CompletableFuture<Void> send(BatchMutateRequest batch) {
      StreamObserver<StreamMutateRequest> stream = requests;
      if (stream == null) {
        throw new IllegalStateException("the stream is not open");
      }
      count("call on a stream");
      CompletableFuture<Void> answer = new CompletableFuture<>();
      waiting.put(++last, answer);
      stream.onNext(StreamMutateRequest.newBuilder().setSequence(last).setBatch(batch).build());
      if (rng.chance(manners.halfClosed())) {
        over = true;
        stream.onCompleted();
      }
      return answer;
    }

    @Override
    public void onNext(StreamMutateResponse message) {
      for (MutateOutcome outcome : message.getOutcomesList()) {
        CompletableFuture<Void> answer = waiting.remove(outcome.getSequence());
        if (answer == null) {
          throw new AssertionError("an answer to no batch: " + outcome);
        }
        if (outcome.getCode() == 0) {
          answer.complete(null);
          continue;
        }
        Status status = Status.fromCodeValue(outcome.getCode());
        checked(outcome.getReason(), status, outcome.getMessage());
        answer.completeExceptionally(
            outcome.getApplied() == Applied.APPLIED_NO
                ? new NotApplied(outcome.getMessage())
                : status.withDescription(outcome.getMessage()).asRuntimeException());
      }
    }

    @Override
    public void onError(Throwable failure) {
      end(failure);
    }

    @Override
    public void onCompleted() {
      if (!waiting.isEmpty()) {
        world.after(
            Duration.ZERO,
            () -> {
              throw new AssertionError(
                  "a stream ended well without answers to " + waiting.keySet());
            });
      }
      end(Status.UNAVAILABLE.asRuntimeException());
    }

    private void end(Throwable failure) {
      over = true;
      List<CompletableFuture<Void>> left = List.copyOf(waiting.values());
      waiting.clear();
      // The failure is one of the stream, and says nothing of what was sent on it.
      Throwable unknown =
          Status.UNAVAILABLE.withDescription("the stream ended: " + failure).asRuntimeException();
      left.forEach(answer -> failed(answer, unknown));
    }
  }

  private Metadata credentials() {
    Metadata headers = new Metadata();
    headers.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
        "Basic "
            + Base64.getEncoder()
                .encodeToString((user + ":" + PASSWORD).getBytes(StandardCharsets.UTF_8)));
    return headers;
  }
}

package dev.colonnade.server.sim;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.SessionAnswer;
import dev.colonnade.v1.SessionCall;
import dev.colonnade.v1.SessionRequest;
import dev.colonnade.v1.SessionResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A channel that makes unary calls on data through a session, so that whatever uses stubs runs over
 * a session as well. Large calls, and all others, go to the channel behind it. When a session has
 * ended, the next call opens another one. Thread-safe.
 */
public final class SessionChannel extends Channel {

  /** How calls fail that a session leaves without an answer though it ends well. */
  public static final String UNANSWERED = "the session ended before the call";

  /** Larger calls are no calls for a session; a little less than any node takes. */
  private static final int LARGE_BYTES = 32_000;

  private final Channel behind;

  /** The fields of SessionCall by the full names of the methods that they stand for. */
  private final Map<String, FieldDescriptor> requests = new HashMap<>();

  private @Nullable OpenSession session;

  /** Makes its calls through sessions on a channel. */
  public SessionChannel(Channel behind) {
    this.behind = behind;
    for (FieldDescriptor field : SessionCall.getDescriptor().getOneofs().get(0).getFields()) {
      String method = field.getMessageType().getName().replaceAll("Request$", "");
      requests.put(ColumnStoreServiceGrpc.SERVICE_NAME + "/" + method, field);
    }
  }

  @Override
  public String authority() {
    return behind.authority();
  }

  @Override
  public <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
    FieldDescriptor request = requests.get(method.getFullMethodName());
    return request == null
        ? behind.newCall(method, options)
        : new CallOfSession<>(method, request, options);
  }

  /** Closes its half of the session after the calls under way; further ones open another one. */
  public synchronized void halfClose() {
    OpenSession open = session;
    if (open != null) {
      open.end(null);
    }
  }

  private synchronized OpenSession session() {
    OpenSession open = session;
    if (open == null || open.over) {
      open = new OpenSession();
      session = open;
      open.requests = ColumnStoreServiceGrpc.newStub(behind).session(open);
    }
    return open;
  }

  /** A session and the calls that wait on it. */
  private static final class OpenSession implements StreamObserver<SessionResponse> {
    private final Map<Long, CallOfSession<?, ?>> waiting = new HashMap<>();
    private @Nullable StreamObserver<SessionRequest> requests;
    private long lastId;
    private boolean over;

    synchronized void send(CallOfSession<?, ?> call, SessionCall.Builder message) {
      StreamObserver<SessionRequest> stream = requests;
      if (over || stream == null) {
        call.fail(Status.UNAVAILABLE.withDescription("the session has ended"));
        return;
      }
      lastId++;
      call.id = lastId;
      waiting.put(lastId, call);
      stream.onNext(SessionRequest.newBuilder().addCalls(message.setId(lastId)).build());
    }

    synchronized void cancel(long id) {
      StreamObserver<SessionRequest> stream = requests;
      if (!over && stream != null && waiting.containsKey(id)) {
        stream.onNext(SessionRequest.newBuilder().addCancelled(id).build());
      }
    }

    @Override
    public synchronized void onNext(SessionResponse message) {
      for (SessionAnswer answer : message.getAnswersList()) {
        CallOfSession<?, ?> call = waiting.get(answer.getId());
        if (call == null) {
          throw new AssertionError("an answer to no call: " + answer);
        }
        if (call.take(answer)) {
          waiting.remove(answer.getId());
        }
      }
      if (message.getGoingAway()) {
        end(null);
      }
    }

    @Override
    public void onError(Throwable failure) {
      end(Status.UNAVAILABLE.withDescription("the session broke").withCause(failure));
    }

    @Override
    public void onCompleted() {
      end(Status.UNAVAILABLE.withDescription(UNANSWERED));
    }

    private synchronized void end(@Nullable Status calls) {
      StreamObserver<SessionRequest> stream = requests;
      if (!over && calls == null && stream != null) {
        stream.onCompleted();
      }
      over = true;
      if (calls != null) {
        waiting.values().forEach(call -> call.fail(calls));
        waiting.clear();
      }
    }
  }

  /** A call of a stub. */
  private final class CallOfSession<Q, R> extends ClientCall<Q, R> {
    private final MethodDescriptor<Q, R> method;
    private final FieldDescriptor field;
    private final CallOptions options;
    private final SessionCall.Builder message = SessionCall.newBuilder();
    private @Nullable Q request;
    private @Nullable Listener<R> listener;
    private @Nullable ClientCall<Q, R> unary;
    private @Nullable OpenSession itsSession;
    private ByteString pieces = ByteString.EMPTY;
    private long id;

    CallOfSession(MethodDescriptor<Q, R> method, FieldDescriptor field, CallOptions options) {
      this.method = method;
      this.field = field;
      this.options = options;
    }

    @Override
    public void start(Listener<R> itsListener, Metadata headers) {
      listener = itsListener;
    }

    @Override
    public void request(int messages) {
      // There is one answer, which is always awaited.
    }

    @Override
    public void sendMessage(Q itsRequest) {
      request = itsRequest;
      message.setField(field, itsRequest);
    }

    @Override
    public void halfClose() {
      Listener<R> to = listener;
      Q large = request;
      if (to != null && large != null && message.build().getSerializedSize() > LARGE_BYTES) {
        ClientCall<Q, R> call = behind.newCall(method, options);
        unary = call;
        call.start(to, new Metadata());
        call.request(2);
        call.sendMessage(large);
        call.halfClose();
        return;
      }
      Deadline deadline = options.getDeadline();
      if (deadline != null) {
        message.setTimeoutMillis((int) Math.max(1, deadline.timeRemaining(TimeUnit.MILLISECONDS)));
      }
      OpenSession open = session();
      itsSession = open;
      open.send(this, message);
    }

    @Override
    public void cancel(@Nullable String why, @Nullable Throwable cause) {
      OpenSession open = itsSession;
      ClientCall<Q, R> call = unary;
      if (open != null) {
        open.cancel(id);
      } else if (call != null) {
        call.cancel(why, cause);
      }
    }

    /** Takes an answer or a piece of it; true for the last one. */
    @SuppressWarnings("unchecked") // the field of the answer has the type that the method answers
    boolean take(SessionAnswer answer) {
      try {
        switch (answer.getOutcomeCase()) {
          case PIECE -> {
            pieces = pieces.concat(answer.getPiece());
            if (!answer.getLastPiece()) {
              return false;
            }
            succeed(method.parseResponse(pieces.newInput()));
          }
          case ERROR -> {
            StatusRuntimeException error =
                StatusProto.toStatusRuntimeException(
                    com.google.rpc.Status.parseFrom(answer.getError()));
            Metadata trailers = error.getTrailers();
            close(error.getStatus(), trailers == null ? new Metadata() : trailers);
          }
          default -> {
            Message whole =
                (Message)
                    answer.getField(
                        SessionAnswer.getDescriptor().findFieldByNumber(field.getNumber()));
            if (answer.getOutcomeCase().getNumber() != field.getNumber()) {
              throw new AssertionError(method.getFullMethodName() + " answered by " + answer);
            }
            succeed((R) whole);
          }
        }
        return true;
      } catch (InvalidProtocolBufferException e) {
        throw new AssertionError("an error that is no google.rpc.Status", e);
      }
    }

    void fail(Status status) {
      close(status, new Metadata());
    }

    private void succeed(R answer) {
      run(
          to -> {
            to.onHeaders(new Metadata());
            to.onMessage(answer);
            to.onClose(Status.OK, new Metadata());
          });
    }

    private void close(Status status, Metadata trailers) {
      run(to -> to.onClose(status, trailers));
    }

    private void run(Consumer<Listener<R>> event) {
      Listener<R> to = listener;
      if (to == null) {
        throw new IllegalStateException("the call was not started");
      }
      Executor executor = options.getExecutor();
      if (executor == null) {
        event.accept(to);
      } else {
        executor.execute(() -> event.accept(to));
      }
    }
  }
}

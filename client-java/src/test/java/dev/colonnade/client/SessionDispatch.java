package dev.colonnade.client;

import dev.colonnade.v1.BatchMutateResponse;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.SessionAnswer;
import dev.colonnade.v1.SessionCall;
import dev.colonnade.v1.SessionRequest;
import dev.colonnade.v1.SessionResponse;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The node's side of a session that answers with what the unary methods of a store answer. */
final class SessionDispatch implements StreamObserver<SessionRequest> {

  private final FakeStore store;
  private final StreamObserver<SessionResponse> answers;
  private final Map<Long, Answer<?>> open = new ConcurrentHashMap<>();

  SessionDispatch(FakeStore store, StreamObserver<SessionResponse> answers) {
    this.store = store;
    this.answers = answers;
    answers.onNext(SessionResponse.newBuilder().setLimits(FakeSessions.LIMITS).build());
  }

  @Override
  public void onNext(SessionRequest request) {
    request.getCallsList().forEach(this::begin);
    for (long id : request.getCancelledList()) {
      Answer<?> answer = open.get(id);
      if (answer != null) {
        answer.cancel();
      }
    }
  }

  private void begin(SessionCall call) {
    if (!call.getTraceparent().isEmpty()) {
      store.traceparents.add(call.getTraceparent());
    }
    switch (call.getRequestCase()) {
      case GET_SLICE ->
          store.getSlice(
              call.getGetSlice(),
              new Answer<GetSliceResponse>(call.getId(), SessionAnswer.Builder::setGetSlice));
      case BATCH_MUTATE ->
          store.batchMutate(
              call.getBatchMutate(),
              new Answer<BatchMutateResponse>(call.getId(), SessionAnswer.Builder::setBatchMutate));
      default -> throw new IllegalArgumentException("the store has no " + call.getRequestCase());
    }
  }

  @Override
  public void onError(Throwable thrown) {
    // The client has gone.
  }

  @Override
  public void onCompleted() {
    answers.onCompleted();
  }

  private synchronized void send(SessionAnswer.Builder answer) {
    open.remove(answer.getId());
    answers.onNext(SessionResponse.newBuilder().addAnswers(answer).build());
  }

  private final class Answer<R> extends ServerCallStreamObserver<R> {

    private final long id;
    private final BiConsumer<SessionAnswer.Builder, R> field;
    private final SessionAnswer.Builder answer = SessionAnswer.newBuilder();
    private volatile @Nullable Runnable onCancel;

    Answer(long id, BiConsumer<SessionAnswer.Builder, R> field) {
      this.id = id;
      this.field = field;
      open.put(id, this);
    }

    void cancel() {
      Runnable handler = onCancel;
      if (handler != null) {
        handler.run();
      }
      send(error(Status.CANCELLED.asException()));
    }

    private SessionAnswer.Builder error(Throwable thrown) {
      com.google.rpc.Status detailed = StatusProto.fromThrowable(thrown);
      Status status = Status.fromThrowable(thrown);
      String message = status.getDescription();
      return SessionAnswer.newBuilder()
          .setId(id)
          .setError(
              (detailed != null
                      ? detailed
                      : com.google.rpc.Status.newBuilder()
                          .setCode(status.getCode().value())
                          .setMessage(message == null ? "" : message)
                          .build())
                  .toByteString());
    }

    @Override
    public void onNext(R value) {
      field.accept(answer, value);
    }

    @Override
    public void onError(Throwable thrown) {
      send(error(thrown));
    }

    @Override
    public void onCompleted() {
      send(answer.setId(id));
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public void setOnCancelHandler(Runnable handler) {
      onCancel = handler;
    }

    @Override
    public void setCompression(String compression) {}

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void setOnReadyHandler(Runnable handler) {}

    @Override
    public void disableAutoInboundFlowControl() {}

    @Override
    public void request(int count) {}

    @Override
    public void setMessageCompression(boolean enable) {}
  }
}

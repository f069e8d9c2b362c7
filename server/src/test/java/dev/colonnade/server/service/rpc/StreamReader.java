package dev.colonnade.server.service.rpc;

import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The client's side of a stream, which asks for messages one by one. */
final class StreamReader<Q, R> implements ClientResponseObserver<Q, R> {
  private @Nullable ClientCallStreamObserver<Q> call;
  final List<R> messages = new ArrayList<>();
  @Nullable Throwable error;
  boolean completed;

  @Override
  public void beforeStart(ClientCallStreamObserver<Q> requestStream) {
    call = requestStream;
    requestStream.disableAutoRequestWithInitial(0);
  }

  ClientCallStreamObserver<Q> call() {
    ClientCallStreamObserver<Q> current = call;
    if (current == null) {
      throw new IllegalStateException("the call has not begun");
    }
    return current;
  }

  @Override
  public void onNext(R message) {
    messages.add(message);
  }

  @Override
  public void onError(Throwable problem) {
    error = problem;
  }

  @Override
  public void onCompleted() {
    completed = true;
  }
}

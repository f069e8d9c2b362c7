package dev.colonnade.it;

import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.StreamSliceRequest;
import dev.colonnade.v1.StreamSliceResponse;
import io.grpc.Channel;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Reads a stream one message at a time, and requests the next one only when told to. */
final class SlowReader implements ClientResponseObserver<StreamSliceRequest, StreamSliceResponse> {

  private static final long PATIENCE_SECONDS = 60;

  /** What arrived: a message, or the end with or without an error. */
  private record Event(@Nullable StreamSliceResponse message, @Nullable Throwable error) {}

  private final BlockingQueue<Event> events = new ArrayBlockingQueue<>(4);
  private @Nullable ClientCallStreamObserver<StreamSliceRequest> call;

  static SlowReader open(Channel channel, StreamSliceRequest request) {
    SlowReader reader = new SlowReader();
    ColumnStoreServiceGrpc.newStub(channel).streamSlice(request, reader);
    return reader;
  }

  /** Asks for one message and waits for it; empty at the end of the stream. */
  Optional<StreamSliceResponse> next() throws InterruptedException {
    Objects.requireNonNull(call, "the call has begun").request(1);
    Event event = events.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (event == null) {
      throw new AssertionError("no message within " + PATIENCE_SECONDS + " s of asking for one");
    }
    if (event.error() != null) {
      throw new AssertionError("the stream broke", event.error());
    }
    return Optional.ofNullable(event.message());
  }

  void cancel() {
    Objects.requireNonNull(call, "the call has begun").cancel("seen enough", null);
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<StreamSliceRequest> stream) {
    stream.disableAutoRequestWithInitial(0);
    call = stream;
  }

  @Override
  public void onNext(StreamSliceResponse message) {
    events.add(new Event(message, null));
  }

  @Override
  public void onError(Throwable error) {
    events.add(new Event(null, error));
  }

  @Override
  public void onCompleted() {
    events.add(new Event(null, null));
  }
}

package dev.colonnade.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a stream, pulled one by one. While one is being read the next may come, and no
 * more than that. Where the connection breaks, another call goes on behind the last message that
 * was taken. One thread reads; any may close.
 */
final class ChunkStream<Q, R> implements AutoCloseable {

  /** One message and the end of the call: more never waits, for more was never asked for. */
  private static final int MOST_EVENTS = 2;

  /**
   * How a stream is asked for.
   *
   * @param request the request to go on after a resume token; an empty one begins
   * @param token the resume token of a message
   */
  record Protocol<Q, R>(
      MethodDescriptor<Q, R> method, Function<String, Q> request, Function<R, String> token) {}

  private final Channel channel;
  private final Protocol<Q, R> protocol;
  private final Duration patience;
  private final int resumeAttempts;

  private String token = "";
  private int failures;
  private boolean ended;
  private volatile @Nullable Attempt attempt;
  private volatile boolean closed;

  /**
   * A stream that asks for nothing until it is read.
   *
   * @param patience how long to wait for one message
   * @param resumeAttempts how many times in a row to go on after a broken connection
   */
  ChunkStream(Channel channel, Protocol<Q, R> protocol, Duration patience, int resumeAttempts) {
    this.channel = channel;
    this.protocol = protocol;
    this.patience = patience;
    this.resumeAttempts = resumeAttempts;
  }

  /** The next message, or null at the end. */
  @Nullable R next() {
    if (ended) {
      return null;
    }
    long end = System.nanoTime() + patience.toNanos();
    Attempt current = attempt == null ? open(CallOptions.DEFAULT) : attempt;
    while (true) {
      Event<R> event = current.await(end - System.nanoTime());
      if (event.message() != null) {
        failures = 0;
        String position = protocol.token().apply(event.message());
        token = position.isEmpty() ? token : position;
        current.call.request(1);
        return event.message();
      }
      Status status = event.status();
      if (status == null || status.isOk()) {
        ended = true;
        return null;
      }
      RuntimeException failure = status.asRuntimeException(event.trailers());
      if (closed || !Errors.isOfTransport(failure) || ++failures > resumeAttempts) {
        throw Errors.translate(failure, Applied.NO);
      }
      // The connection is down now: wait for the next one, instead of failing on its absence.
      current = open(CallOptions.DEFAULT.withWaitForReady());
    }
  }

  @Override
  public void close() {
    closed = true;
    Attempt current = attempt;
    if (current != null) {
      current.cancel(ListenedCalls.SEEN_ENOUGH);
    }
  }

  private Attempt open(CallOptions options) {
    Attempt opened = new Attempt(channel.newCall(protocol.method(), options));
    attempt = opened;
    opened.call.start(opened, new Metadata());
    opened.call.sendMessage(protocol.request().apply(token));
    opened.call.halfClose();
    opened.call.request(1);
    if (closed) {
      opened.cancel(ListenedCalls.SEEN_ENOUGH);
    }
    return opened;
  }

  /** A message, or the end with its status. */
  private record Event<R>(
      @Nullable R message, @Nullable Status status, @Nullable Metadata trailers) {}

  private final class Attempt extends ClientCall.Listener<R> {

    final ClientCall<Q, R> call;
    private final BlockingQueue<Event<R>> events = new ArrayBlockingQueue<>(MOST_EVENTS);

    Attempt(ClientCall<Q, R> call) {
      this.call = call;
    }

    @Override
    public void onMessage(R message) {
      events.add(new Event<>(message, null, null));
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      events.add(new Event<>(null, status, trailers));
    }

    void cancel(String why) {
      call.cancel(why, null);
    }

    Event<R> await(long nanos) {
      try {
        Event<R> event = events.poll(nanos, TimeUnit.NANOSECONDS);
        if (event != null) {
          return event;
        }
        cancel("the reader lost patience");
        throw Errors.translate(
            Status.DEADLINE_EXCEEDED
                .withDescription("no part of the answer came in " + patience)
                .asRuntimeException(),
            Applied.NO);
      } catch (InterruptedException e) {
        cancel("the reader was interrupted");
        Thread.currentThread().interrupt();
        throw Errors.translate(
            Status.CANCELLED
                .withDescription("the thread that waited for the answer was interrupted")
                .withCause(e)
                .asRuntimeException(),
            Applied.NO);
      }
    }
  }
}

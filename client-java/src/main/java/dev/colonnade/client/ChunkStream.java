package dev.colonnade.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a stream, pulled one by one. While one is being read, the next may arrive, and no
 * more than that. After a broken connection another call continues after the last message taken.
 * One message is requested at a time; any thread may close.
 */
final class ChunkStream<Q, R> implements AutoCloseable {

  /**
   * The method and requests of a stream.
   *
   * @param request the request to continue after a resume token; an empty token begins
   * @param token the resume token of a message; empty if it has none
   */
  record Protocol<Q, R>(
      MethodDescriptor<Q, R> method, Function<String, Q> request, Function<R, String> token) {}

  private final Channel channel;
  private final Protocol<Q, R> protocol;
  private final Duration silenceLimit;
  private final int resumeAttempts;

  private final ReentrantLock lock = new ReentrantLock();

  // The fields below are guarded by the lock.
  private String token = "";
  private int failures;
  private boolean begun;
  private boolean closed;
  private boolean ended;
  private @Nullable ColonnadeException lastBreak;
  private @Nullable Attempt attempt;
  private @Nullable CompletableFuture<@Nullable R> waiting;

  /**
   * A stream that makes no call until it is read.
   *
   * @param silenceLimit how long to wait for one message
   * @param resumeAttempts how many times in a row to continue after a broken connection
   */
  ChunkStream(Channel channel, Protocol<Q, R> protocol, Duration silenceLimit, int resumeAttempts) {
    this.channel = channel;
    this.protocol = protocol;
    this.silenceLimit = silenceLimit;
    this.resumeAttempts = resumeAttempts;
  }

  /**
   * The next message, or null at the end; cancelling the future closes the stream.
   *
   * @throws IllegalStateException if the previous one is still awaited
   */
  CompletableFuture<@Nullable R> next() {
    CompletableFuture<@Nullable R> message = new CompletableFuture<>();
    lock.lock();
    try {
      if (waiting != null) {
        throw new IllegalStateException("the previous part has not arrived yet; wait for it");
      }
      if (ended) {
        return CompletableFuture.completedFuture(null);
      }
      waiting = message;
    } finally {
      lock.unlock();
    }
    step();
    return message.isDone() ? message : impatient(message);
  }

  /** Ends the call, if there is one. A message that is awaited fails. */
  @Override
  public void close() {
    Attempt current;
    lock.lock();
    try {
      closed = true;
      current = attempt;
    } finally {
      lock.unlock();
    }
    if (current != null) {
      current.call.cancel(ListenedCalls.SEEN_ENOUGH, null);
    }
  }

  private CompletableFuture<@Nullable R> impatient(CompletableFuture<@Nullable R> message) {
    CompletableFuture<@Nullable R> answer = new CompletableFuture<>();
    var unused =
        message
            .orTimeout(silenceLimit.toNanos(), TimeUnit.NANOSECONDS)
            .whenComplete(
                (value, failure) -> {
                  if (failure instanceof TimeoutException) {
                    answer.completeExceptionally(timedOut());
                  } else if (failure != null) {
                    answer.completeExceptionally(failure);
                  } else {
                    answer.complete(value);
                  }
                });
    Transport.whenCancelled(
        answer,
        () -> {
          giveUp("the reader gave up");
          message.cancel(false);
        });
    return answer;
  }

  /** Ends the stream, with the reason why nothing came: the broken connection, if there is one. */
  private ColonnadeException timedOut() {
    ColonnadeException broken;
    lock.lock();
    try {
      broken = lastBreak;
    } finally {
      lock.unlock();
    }
    giveUp("the reader's time limit passed");
    return broken != null
        ? broken
        : Errors.translate(
            Status.DEADLINE_EXCEEDED
                .withDescription("no part of the answer came in " + inWords(silenceLimit))
                .asRuntimeException(),
            Applied.NO);
  }

  private static String inWords(Duration duration) {
    return duration.toMillis() % 1_000 == 0
        ? duration.toSeconds() + " s"
        : duration.toMillis() + " ms";
  }

  /** Ends the stream for a reader that stops. */
  private void giveUp(String why) {
    Attempt current;
    lock.lock();
    try {
      closed = true;
      ended = true;
      waiting = null;
      current = attempt;
    } finally {
      lock.unlock();
    }
    if (current != null) {
      current.call.cancel(why, null);
    }
  }

  /** Advances the stream for a waiting reader. Completes the future outside of the lock. */
  private void step() {
    CompletableFuture<@Nullable R> reader;
    R message;
    ColonnadeException failure;
    lock.lock();
    try {
      reader = waiting;
      if (reader == null) {
        return;
      }
      Attempt current = attempt;
      if (current == null) {
        open(CallOptions.DEFAULT);
        return;
      }
      message = current.message;
      failure = null;
      if (message != null) {
        take(current, message);
      } else if (current.status == null) {
        return;
      } else if (current.status.isOk()) {
        ended = true;
      } else {
        failure = failed(current.status, current.trailers);
        if (failure == null) {
          return;
        }
        ended = true;
      }
      waiting = null;
    } finally {
      lock.unlock();
    }
    if (failure == null) {
      reader.complete(message);
    } else {
      reader.completeExceptionally(failure);
    }
  }

  private void take(Attempt current, R message) {
    failures = 0;
    begun = true;
    lastBreak = null;
    String position = protocol.token().apply(message);
    token = position.isEmpty() ? token : position;
    current.message = null;
    current.call.request(1);
  }

  /** The failure for the reader; null if another call continues. */
  private @Nullable ColonnadeException failed(Status status, @Nullable Metadata trailers) {
    RuntimeException failure = status.asRuntimeException(trailers);
    ColonnadeException told = Errors.translate(failure, Applied.NO);
    if (closed || !Errors.mayGoOnElsewhere(failure, told) || ++failures > resumeAttempts) {
      return told;
    }
    lastBreak = told;
    // A stream in progress waits for the next connection. One that has not begun loses nothing by
    // failing, and a caller of an absent node should learn that at once.
    open(begun ? CallOptions.DEFAULT.withWaitForReady() : CallOptions.DEFAULT);
    return null;
  }

  private void open(CallOptions options) {
    Q request = protocol.request().apply(token);
    Attempt opened =
        new Attempt(
            channel.newCall(protocol.method(), options.withOption(ListenedCalls.REQUEST, request)));
    attempt = opened;
    opened.call.start(opened, new Metadata());
    opened.call.sendMessage(request);
    opened.call.halfClose();
    opened.call.request(1);
    if (closed) {
      opened.call.cancel(ListenedCalls.SEEN_ENOUGH, null);
    }
  }

  private final class Attempt extends ClientCall.Listener<R> {

    final ClientCall<Q, R> call;

    // What has arrived and is not yet taken: a message, and the end after it.
    @Nullable R message;
    @Nullable Status status;
    @Nullable Metadata trailers;

    Attempt(ClientCall<Q, R> call) {
      this.call = call;
    }

    @Override
    public void onMessage(R arrived) {
      lock.lock();
      try {
        message = arrived;
      } finally {
        lock.unlock();
      }
      step();
    }

    @Override
    public void onClose(Status last, Metadata with) {
      lock.lock();
      try {
        status = last;
        trailers = with;
      } finally {
        lock.unlock();
      }
      step();
    }
  }
}

package dev.colonnade.it.history;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.SessionAnswer;
import dev.colonnade.v1.SessionCall;
import dev.colonnade.v1.SessionRequest;
import dev.colonnade.v1.SessionResponse;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** A session by generated stubs alone, with one call at a time. For one thread. */
final class RawSession {
  private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();
  private final StreamObserver<SessionRequest> requests;
  private long last;
  private boolean broken;

  RawSession(Channel channel) {
    requests =
        ColumnStoreServiceGrpc.newStub(channel)
            .session(
                new StreamObserver<>() {
                  @Override
                  public void onNext(SessionResponse message) {
                    events.addAll(message.getAnswersList());
                  }

                  @Override
                  public void onError(Throwable failure) {
                    events.add(Status.fromThrowable(failure));
                  }

                  @Override
                  public void onCompleted() {
                    events.add(Status.UNAVAILABLE.withDescription("the session has ended"));
                  }
                });
  }

  /** Whether it takes no more calls. */
  boolean isBroken() {
    return broken;
  }

  /** Makes a call and waits for its answer, which may come in pieces. */
  <A extends MessageLite> A call(
      SessionCall.Builder call, int seconds, Function<SessionAnswer, A> answer, Parser<A> parser) {
    long id = ++last;
    requests.onNext(
        SessionRequest.newBuilder()
            .addCalls(call.setId(id).setTimeoutMillis((int) TimeUnit.SECONDS.toMillis(seconds)))
            .build());
    ByteString pieces = ByteString.EMPTY;
    while (true) {
      SessionAnswer next = next(id, seconds);
      if (next.getOutcomeCase() == SessionAnswer.OutcomeCase.ERROR) {
        throw StatusProto.toStatusRuntimeException(
            parsed(com.google.rpc.Status.parser(), next.getError()));
      }
      if (next.getOutcomeCase() != SessionAnswer.OutcomeCase.PIECE) {
        return answer.apply(next);
      }
      pieces = pieces.concat(next.getPiece());
      if (next.getLastPiece()) {
        return parsed(parser, pieces);
      }
    }
  }

  /** The next answer to a call; answers to those that were given up are passed over. */
  private SessionAnswer next(long id, int seconds) {
    try {
      while (true) {
        Object event = events.poll(seconds + 5L, TimeUnit.SECONDS);
        if (event instanceof SessionAnswer found) {
          if (found.getId() == id) {
            return found;
          }
        } else {
          broken = true;
          throw event instanceof Status status
              ? status.asRuntimeException()
              : Status.DEADLINE_EXCEEDED.asRuntimeException();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StatusRuntimeException(Status.CANCELLED.withCause(e));
    }
  }

  private static <A> A parsed(Parser<A> parser, ByteString bytes) {
    try {
      return parser.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("an answer that cannot be read", e);
    }
  }

  /** Ends it; calls without an answer stay so. */
  void close() {
    if (!broken) {
      requests.onCompleted();
    }
  }
}

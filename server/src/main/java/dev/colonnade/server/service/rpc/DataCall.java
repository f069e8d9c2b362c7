package dev.colonnade.server.service.rpc;

import com.google.protobuf.MessageLite;
import dev.colonnade.v1.SessionCall;
import io.grpc.MethodDescriptor;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A kind of data call with one answer, as a method of its own and on a session.
 *
 * @param number of the field of its request in SessionCall, and of its answer in SessionAnswer
 * @param write whether it changes something
 * @param inSession takes the request out of a session's call
 * @param subject where the request says what it is about
 * @param work carries out the call; may throw what makes it fail
 * @param <Q> the request
 * @param <R> the answer: an {@link EncodedMessage} or a protobuf message
 */
record DataCall<Q, R>(
    int number,
    MethodDescriptor<Q, R> method,
    boolean write,
    Function<SessionCall, Q> inSession,
    CallSubject<Q> subject,
    BiFunction<Q, CallContext, CompletableFuture<R>> work) {

  /** Its method's full name. */
  String name() {
    return method.getFullMethodName();
  }

  /** The encoded size of an answer in bytes. */
  int answerBytes(@Nullable Object answer) {
    return answer instanceof EncodedMessage encoded
        ? encoded.size()
        : answer instanceof MessageLite message ? message.getSerializedSize() : 0;
  }

  /** Carries out a call of a session. */
  CompletableFuture<R> begin(SessionCall call, CallContext callContext) {
    return work.apply(inSession.apply(call), callContext);
  }
}

package dev.colonnade.client;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.Queue;

/**
 * Notes the header traceparent of each call that has it.
 *
 * @param found takes it
 */
record TraceparentReader(Queue<String> found) implements ServerInterceptor {

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    String header = headers.get(TraceHeader.KEY);
    if (header != null) {
      found.add(header);
    }
    return next.startCall(call, headers);
  }
}

package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.env.Scheduler;
import io.grpc.BindableService;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The layer between the transport and the services. It reserves a request's memory before decoding
 * it, decodes and runs large requests off the event loop, and reserves an answer's memory before
 * encoding it. Thread-safe.
 */
final class RequestIntake {

  /** Passes messages through as they arrive. */
  private static final MethodDescriptor.Marshaller<InputStream> RAW =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(InputStream value) {
          return value;
        }

        @Override
        public InputStream parse(InputStream stream) {
          return stream;
        }
      };

  /**
   * What all calls share.
   *
   * @param scheduler for retries
   * @param large where large requests are decoded
   * @param inlineBytes longer requests are decoded off the event loop
   * @param maxMessageBytes the longest request
   * @param callTimeout how long a stream may wait for memory
   */
  record Tools(
      Scheduler scheduler,
      LargeTurns large,
      ClientMemory memory,
      StatusErrors errors,
      int inlineBytes,
      int maxMessageBytes,
      Supplier<Duration> callTimeout) {}

  private final Tools tools;

  RequestIntake(Tools tools) {
    this.tools = tools;
  }

  /** Wraps a service with this intake. */
  ServerServiceDefinition guard(BindableService service) {
    ServerServiceDefinition plain = service.bindService();
    ServiceDescriptor.Builder described =
        ServiceDescriptor.newBuilder(plain.getServiceDescriptor().getName())
            .setSchemaDescriptor(plain.getServiceDescriptor().getSchemaDescriptor());
    List<ServerMethodDefinition<InputStream, ?>> methods = new ArrayList<>();
    for (ServerMethodDefinition<?, ?> method : plain.getMethods()) {
      ServerMethodDefinition<InputStream, ?> guarded = guard(method);
      described.addMethod(guarded.getMethodDescriptor());
      methods.add(guarded);
    }
    ServerServiceDefinition.Builder result = ServerServiceDefinition.builder(described.build());
    methods.forEach(result::addMethod);
    return result.build();
  }

  private <Q, R> ServerMethodDefinition<InputStream, R> guard(ServerMethodDefinition<Q, R> method) {
    MethodDescriptor<Q, R> typed = method.getMethodDescriptor();
    RequestDecoder<Q> decoder = RequestDecoder.of(typed);
    ServerCallHandler<Q, R> handler = method.getServerCallHandler();
    return ServerMethodDefinition.create(
        typed.toBuilder(RAW, typed.getResponseMarshaller()).build(),
        (call, headers) -> start(call, headers, typed, decoder, handler));
  }

  private <Q, R> ServerCall.Listener<InputStream> start(
      ServerCall<InputStream, R> call,
      Metadata headers,
      MethodDescriptor<Q, R> method,
      RequestDecoder<Q> decoder,
      ServerCallHandler<Q, R> handler) {
    CallMemory memory = CallMemory.current();
    IntakeCall<Q, R> inner = new IntakeCall<>(call, method, memory, tools);
    if (!memory.begin(inner::refuse)) {
      inner.refuse();
      return new ServerCall.Listener<>() {};
    }
    return new IntakeListener<>(inner, memory, decoder, tools, handler.startCall(inner, headers));
  }
}

package dev.colonnade.it.bench;

import dev.colonnade.cli.local.bench.RawCalls;
import io.grpc.HandlerRegistry;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerMethodDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The least that a gRPC server can do: reads the request's bytes and answers with as many zeros as
 * the method's name says. The floor that every figure is compared with.
 */
public final class NoopServer {

  private static final String SERVICE = "colonnade.bench.Noop/";

  private NoopServer() {}

  /** The method that answers with a given number of bytes. */
  static MethodDescriptor<byte[], byte[]> method(int answerBytes) {
    return RawCalls.method(SERVICE + answerBytes);
  }

  /** Serves on a free port of loopback, prints it, and ends with standard input. */
  public static void main(String[] args) throws IOException {
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .directExecutor()
            .fallbackHandlerRegistry(new AnyAnswer())
            .build()
            .start();
    System.out.println("port " + server.getPort() + " serving");
    while (System.in.read() >= 0) {
      // Only the end of the input is expected.
    }
    server.shutdownNow();
  }

  private static final class AnyAnswer extends HandlerRegistry {

    private final Map<String, ServerMethodDefinition<byte[], byte[]>> methods =
        new ConcurrentHashMap<>();

    @Override
    public @Nullable ServerMethodDefinition<?, ?> lookupMethod(
        String methodName, @Nullable String authority) {
      return methodName.startsWith(SERVICE)
          ? methods.computeIfAbsent(methodName, AnyAnswer::define)
          : null;
    }

    private static ServerMethodDefinition<byte[], byte[]> define(String methodName) {
      byte[] answer = new byte[Integer.parseInt(methodName.substring(SERVICE.length()))];
      return ServerMethodDefinition.create(
          RawCalls.method(methodName),
          ServerCalls.asyncUnaryCall(
              (request, observer) -> {
                observer.onNext(answer);
                observer.onCompleted();
              }));
    }
  }
}

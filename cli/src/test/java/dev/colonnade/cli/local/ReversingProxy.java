package dev.colonnade.cli.local;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.GetSliceResponse;
import io.grpc.CallOptions;
import io.grpc.Grpc;
import io.grpc.HandlerRegistry;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerMethodDefinition;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A proxy that reverses a node's slices, as if the node sorted the wrong way. */
final class ReversingProxy implements AutoCloseable {

  private static final String GET_SLICE = "colonnade.v1.ColumnStoreService/GetSlice";

  private final ManagedChannel node;
  private final Server server;

  private ReversingProxy(ManagedChannel node) throws IOException {
    this.node = node;
    this.server =
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
            .fallbackHandlerRegistry(new Registry(node))
            .build()
            .start();
  }

  static ReversingProxy before(int port) throws IOException {
    return new ReversingProxy(
        Grpc.newChannelBuilder("127.0.0.1:" + port, InsecureChannelCredentials.create()).build());
  }

  int port() {
    return server.getPort();
  }

  @Override
  public void close() {
    server.shutdownNow();
    node.shutdownNow();
  }

  /** Every method, as one of bytes with one answer. */
  private static final class Registry extends HandlerRegistry {

    private final ManagedChannel node;

    Registry(ManagedChannel node) {
      this.node = node;
    }

    @Override
    public ServerMethodDefinition<?, ?> lookupMethod(String name, @Nullable String authority) {
      MethodDescriptor<byte[], byte[]> method =
          MethodDescriptor.<byte[], byte[]>newBuilder(new Bytes(), new Bytes())
              .setFullMethodName(name)
              .setType(MethodType.UNARY)
              .build();
      return ServerMethodDefinition.create(
          method,
          ServerCalls.asyncUnaryCall(
              (byte[] request, StreamObserver<byte[]> answers) ->
                  ClientCalls.asyncUnaryCall(
                      node.newCall(method, CallOptions.DEFAULT),
                      request,
                      name.equals(GET_SLICE) ? new Turned(answers) : answers)));
    }
  }

  private record Turned(StreamObserver<byte[]> answers) implements StreamObserver<byte[]> {

    @Override
    public void onNext(byte[] answer) {
      try {
        GetSliceResponse slice = GetSliceResponse.parseFrom(answer);
        List<ColumnOrSuperColumn> columns = new ArrayList<>(slice.getColumnsList());
        Collections.reverse(columns);
        answers.onNext(
            slice.toBuilder().clearColumns().addAllColumns(columns).build().toByteArray());
      } catch (InvalidProtocolBufferException e) {
        answers.onError(e);
      }
    }

    @Override
    public void onError(Throwable failure) {
      answers.onError(failure);
    }

    @Override
    public void onCompleted() {
      answers.onCompleted();
    }
  }

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {

    @Override
    public InputStream stream(byte[] message) {
      return new ByteArrayInputStream(message);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}

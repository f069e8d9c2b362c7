package dev.colonnade.it.conformance;

import dev.colonnade.admin.v1.FlushRequest;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.admin.v1.ListKeyspacesRequest;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.server.base.config.AddressSettings;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import dev.colonnade.server.node.NodeStartException;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A whole node in this JVM, with real files and sockets; only its clock is ours. A restart takes
 * milliseconds here, so that it can happen in the middle of every recording.
 */
final class InProcessNode implements NodeUnderTest, AutoCloseable {

  private final NodeOptions options;
  private final MovableClock clock = new MovableClock();
  private Node node;
  private ManagedChannel channel;

  private InProcessNode(NodeOptions options) {
    this.options = options;
    this.node = start();
    this.channel = connect();
  }

  /** A node on free ports of loopback; it serves when this returns. */
  static InProcessNode start(Path data, String partitioner) {
    return new InProcessNode(
        NodeOptions.defaults()
            .withDataDirectory(data)
            .with(ClusterSettings.PARTITIONER, partitioner)
            .with(AddressSettings.CLIENT_PORT, 0)
            .with(AddressSettings.PEER_PORT, freePort())
            .with(AddressSettings.HTTP_PORT, 0));
  }

  /**
   * The same after each restart: a node that has moved checks for a duplicate at its old address.
   */
  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Channel channel() {
    return channel;
  }

  @Override
  public void pass(Duration time) {
    clock.move(time);
  }

  @Override
  public void flush() {
    NodeServiceGrpc.NodeServiceBlockingStub operations = NodeServiceGrpc.newBlockingStub(channel);
    for (KeyspaceDef keyspace :
        SchemaServiceGrpc.newBlockingStub(channel)
            .listKeyspaces(ListKeyspacesRequest.getDefaultInstance())
            .getKeyspacesList()) {
      operations.flush(FlushRequest.newBuilder().setKeyspace(keyspace.getName()).build());
    }
  }

  @Override
  public void restart() {
    close();
    node = start();
    channel = connect();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    node.close();
  }

  private Node start() {
    try {
      return Node.start(options, clock);
    } catch (NodeStartException e) {
      throw new AssertionError("the node does not start: " + e.getMessage(), e);
    }
  }

  private ManagedChannel connect() {
    return NettyChannelBuilder.forAddress(node.clientAddress(), node.clientPort())
        .usePlaintext()
        .directExecutor()
        .build();
  }

  /** The clocks of the system, ahead of them by what was passed. */
  private static final class MovableClock implements Clock {

    private final AtomicLong aheadNanos = new AtomicLong();

    void move(Duration time) {
      aheadNanos.addAndGet(time.toNanos());
    }

    @Override
    public long monotonicNanos() {
      return System.nanoTime() + aheadNanos.get();
    }

    @Override
    public long wallMicros() {
      return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis())
          + TimeUnit.NANOSECONDS.toMicros(aheadNanos.get());
    }
  }
}

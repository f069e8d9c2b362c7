package dev.colonnade.it.release;

import dev.colonnade.admin.v1.ClusterServiceGrpc;
import dev.colonnade.admin.v1.DescribeRingRequest;
import dev.colonnade.admin.v1.ListHintsRequest;
import dev.colonnade.admin.v1.Liveness;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.server.base.config.AccessSettings;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.config.StorageSettings;
import dev.colonnade.server.base.config.TlsSettings;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import dev.colonnade.server.node.NodeStartException;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/**
 * One of the two nodes whose data a release is known by, in this JVM, at a moment that is given.
 */
final class ReleaseNode implements AutoCloseable {

  private static final String PASSWORD = "a long password of the administrator";
  private static final int BLOCK_BYTES = 1024;

  private final Node node;
  private final ManagedChannel connection;
  private final Channel channel;

  private ReleaseNode(Node node) {
    this.node = node;
    this.connection =
        NettyChannelBuilder.forAddress(node.clientAddress(), node.clientPort())
            .usePlaintext()
            .directExecutor()
            .build();
    Metadata header = new Metadata();
    header.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
        "Basic "
            + Base64.getEncoder()
                .encodeToString(("admin:" + PASSWORD).getBytes(StandardCharsets.UTF_8)));
    this.channel =
        ClientInterceptors.intercept(connection, MetadataUtils.newAttachHeadersInterceptor(header));
  }

  /**
   * Starts one.
   *
   * @param now what its clock says at first
   * @param seeds empty for none
   */
  static ReleaseNode start(Path data, Instant now, String seeds)
      throws IOException, NodeStartException {
    Path password = data.resolveSibling("admin.password");
    if (!Files.exists(password)) {
      Files.createFile(
          password,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(password, PASSWORD + "\n");
    }
    NodeOptions options =
        NodeOptions.defaults()
            .withDataDirectory(data)
            .withFreePorts()
            .withText(ClusterSettings.RING_DELAY, "1")
            .withText(AccessSettings.AUTHENTICATION, "password")
            .with(TlsSettings.INSECURE, true)
            .withText(AccessSettings.PASSWORD_ITERATIONS, "100000")
            .withText(AccessSettings.ADMIN_PASSWORD_FILE, password.toString())
            .with(StorageSettings.BLOCK_BYTES, BLOCK_BYTES);
    return new ReleaseNode(
        Node.start(
            seeds.isEmpty() ? options : options.withText(ClusterSettings.SEEDS, seeds),
            new ClockFrom(now)));
  }

  Channel channel() {
    return channel;
  }

  /** Where other nodes find it. */
  String peerAddress() {
    return node.clientAddress() + ":" + node.self().address().port();
  }

  /** How many nodes it considers up, itself included. */
  long up() {
    return ClusterServiceGrpc.newBlockingStub(channel)
        .describeRing(DescribeRingRequest.getDefaultInstance())
        .getNodesList()
        .stream()
        .filter(member -> member.getLiveness() != Liveness.LIVENESS_DOWN)
        .count();
  }

  /** Whether it keeps writes for another node. */
  boolean keepsHints() {
    return NodeServiceGrpc.newBlockingStub(channel)
            .listHints(ListHintsRequest.getDefaultInstance())
            .getQueuesList()
            .stream()
            .mapToLong(queue -> queue.getHints())
            .sum()
        > 0;
  }

  /** Ends it as a kill of its process would. */
  void kill() {
    connection.shutdownNow();
    node.kill();
  }

  @Override
  public void close() {
    connection.shutdownNow();
    node.close();
  }

  /** A clock that began at a moment that was given. */
  private static final class ClockFrom implements Clock {

    private final long beginNanos = System.nanoTime();
    private final Instant begin;

    ClockFrom(Instant begin) {
      this.begin = begin;
    }

    @Override
    public long monotonicNanos() {
      return System.nanoTime();
    }

    @Override
    public long wallMicros() {
      Duration passed = Duration.ofNanos(monotonicNanos() - beginNanos);
      return TimeUnit.SECONDS.toMicros(begin.getEpochSecond())
          + TimeUnit.NANOSECONDS.toMicros(passed.toNanos());
    }
  }
}

package dev.colonnade.server.node.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.protobuf.services.HealthStatusManager;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class GrpcListenerTest {

  private static final FileDescriptors PLENTY =
      new FileDescriptors(Long.MAX_VALUE, () -> 0, () -> 0);

  private final List<AutoCloseable> open = new ArrayList<>();
  private final EventLoopGroup loops = EventLoops.group(1, "test");
  private @Nullable GrpcListener listener;
  private @Nullable Server server;

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
    if (server != null) {
      server.shutdownNow().awaitTermination(30, TimeUnit.SECONDS);
    }
    var unused = loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
  }

  @Test
  void silentConnectionsMakeRoomForThoseThatSpeak() throws Exception {
    start(8, Duration.ofMinutes(1), PLENTY);
    for (int i = 0; i < 100; i++) {
      connect();
    }
    for (int i = 0; i < 3; i++) {
      assertEquals(ServingStatus.SERVING, check(channel()));
    }
    assertTrue(listener().connections() <= 8, "open: " + listener().connections());
    assertTrue(listener().connectionsRefused() >= 92);
  }

  @Test
  void oneAddressDoesNotGetAllConnections() throws Exception {
    start(8, Duration.ofMinutes(1), PLENTY);
    for (int i = 0; i < 6; i++) {
      assertEquals(ServingStatus.SERVING, check(channel()));
    }
    assertFalse(isServed(channel()), "the seventh of one address");
    assertEquals(6, listener().connections());
    assertEquals(ServingStatus.SERVING, check(channelFrom("127.0.0.2")));
  }

  @Test
  void aConnectionThatDoesNotSpeakHttp2IsClosed() throws Exception {
    start(8, Duration.ofMillis(200), PLENTY);
    Socket silent = connect();
    Socket half = connect();
    half.getOutputStream().write("PRI * HTTP/2".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    assertTrue(isClosed(silent));
    assertTrue(isClosed(half));
    assertEquals(ServingStatus.SERVING, check(channel()));
  }

  @Test
  void connectionsStopBeforeTheLastDescriptors() throws Exception {
    start(1_000, Duration.ofMinutes(1), new FileDescriptors(64, () -> 49, () -> 0));
    assertFalse(isServed(channel()));
    assertEquals(0, listener().connections());
  }

  @Test
  void placesOfThoseWhoLeftAreGivenAgain() throws Exception {
    start(2, Duration.ofMinutes(1), PLENTY);
    for (int i = 0; i < 20; i++) {
      ManagedChannel channel = channel();
      assertEquals(ServingStatus.SERVING, check(channel));
      channel.shutdownNow().awaitTermination(30, TimeUnit.SECONDS);
      while (listener().connections() > 0) {
        Thread.onSpinWait();
      }
    }
  }

  private void start(int connections, Duration handshake, FileDescriptors descriptors)
      throws IOException {
    HealthStatusManager health = new HealthStatusManager();
    listener =
        GrpcListener.at(
            "tests",
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            new GrpcListener.ListenerLimits(
                connections,
                handshake,
                Duration.ofMinutes(1),
                Duration.ofMinutes(1),
                Duration.ofMinutes(1),
                10,
                1 << 16),
            loops,
            loops,
            descriptors);
    server = listener.builder().addService(health.getHealthService()).build().start();
  }

  private GrpcListener listener() {
    return java.util.Objects.requireNonNull(listener);
  }

  private int port() {
    return java.util.Objects.requireNonNull(server).getPort();
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port());
    socket.setSoTimeout(30_000);
    open.add(socket);
    return socket;
  }

  private ManagedChannel channel() {
    return channelFrom("127.0.0.1");
  }

  private ManagedChannel channelFrom(String address) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port())
            .usePlaintext()
            .localSocketPicker(
                new NettyChannelBuilder.LocalSocketPicker() {
                  @Override
                  public java.net.SocketAddress createSocketAddress(
                      java.net.SocketAddress remote, io.grpc.Attributes attributes) {
                    return new InetSocketAddress(address, 0);
                  }
                })
            .build();
    open.add(channel::shutdownNow);
    return channel;
  }

  private static ServingStatus check(ManagedChannel channel) {
    return HealthGrpc.newBlockingStub(channel)
        .withDeadlineAfter(30, TimeUnit.SECONDS)
        .check(HealthCheckRequest.getDefaultInstance())
        .getStatus();
  }

  private static boolean isServed(ManagedChannel channel) {
    try {
      check(channel);
      return true;
    } catch (StatusRuntimeException e) {
      return false;
    }
  }

  private static boolean isClosed(Socket socket) throws IOException {
    try {
      // What the server has to say of HTTP/2 may come first.
      while (socket.getInputStream().read() >= 0) {
        Thread.onSpinWait();
      }
      return true;
    } catch (SocketException reset) {
      return true;
    }
  }
}

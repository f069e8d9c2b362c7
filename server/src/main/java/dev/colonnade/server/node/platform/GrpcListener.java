package dev.colonnade.server.node.platform;

import dev.colonnade.server.node.tls.TlsConnections;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A gRPC port with limits on its connections: their number, the time they may take to send the
 * HTTP/2 preface, and the time for which a dead peer may go unnoticed. Thread-safe.
 */
final class GrpcListener {

  /**
   * The limits.
   *
   * @param maxConnections at a time; one address may have three quarters of them
   * @param handshakeLimit a connection that has not sent the HTTP/2 preface within this is closed
   * @param keepAliveTime a connection that was silent for this long is pinged
   * @param keepAliveTimeout how long the other end has to answer
   * @param idleLimit a connection without a call is closed after this; clients open another one
   *     when they need it
   * @param maxCallsPerConnection calls open at a time on one connection
   * @param windowBytes what a client may send beyond what was read, on one connection as in one
   *     call
   */
  record ListenerLimits(
      int maxConnections,
      Duration handshakeLimit,
      Duration keepAliveTime,
      Duration keepAliveTimeout,
      Duration idleLimit,
      int maxCallsPerConnection,
      int windowBytes) {}

  private final ConnectionGate gate;
  private final NettyServerBuilder builder;

  private GrpcListener(ConnectionGate gate, NettyServerBuilder builder) {
    this.gate = gate;
    this.builder = builder;
  }

  /**
   * Creates a port that is not bound yet.
   *
   * @param name who it is for, for the log
   * @param address port 0 for any free one
   * @param accepting accepts connections
   * @param serving serves them
   */
  static GrpcListener at(
      String name,
      InetSocketAddress address,
      ListenerLimits limits,
      EventLoopGroup accepting,
      EventLoopGroup serving,
      FileDescriptors descriptors) {
    ConnectionGate gate =
        new ConnectionGate(
            name,
            ConnectionGate.GateLimits.of(limits.maxConnections(), descriptors.reserve()),
            ConnectionGate.Counts.FIRST_BYTES,
            descriptors);
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(address)
            .channelFactory(
                Epoll.isAvailable()
                    ? gate.inFrontOf(EpollServerSocketChannel.class)
                    : gate.inFrontOf(NioServerSocketChannel.class))
            .bossEventLoopGroup(accepting)
            .workerEventLoopGroup(serving)
            .handshakeTimeout(limits.handshakeLimit().toNanos(), TimeUnit.NANOSECONDS)
            .keepAliveTime(limits.keepAliveTime().toNanos(), TimeUnit.NANOSECONDS)
            .keepAliveTimeout(limits.keepAliveTimeout().toNanos(), TimeUnit.NANOSECONDS)
            .maxConnectionIdle(limits.idleLimit().toNanos(), TimeUnit.NANOSECONDS)
            .maxConcurrentCallsPerConnection(limits.maxCallsPerConnection())
            .flowControlWindow(limits.windowBytes())
            .directExecutor();
    return new GrpcListener(gate, builder);
  }

  /** The builder of the server, to which services and further limits are added. */
  NettyServerBuilder builder() {
    return builder;
  }

  /**
   * Encrypts the port.
   *
   * @param connections gets those that are accepted
   */
  void encrypt(SslContext tls, TlsConnections connections) {
    gate.listen(connections::add);
    builder.sslContext(tls);
  }

  /** The number of open connections. */
  int connections() {
    return gate.open();
  }

  /** Connections closed for lack of room, since start. */
  long connectionsRefused() {
    return gate.refused();
  }
}

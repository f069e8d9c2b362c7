package dev.colonnade.client;

import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * The threads that a client's connections are read and written on, one for each processor at most.
 * A client has its own, and not those that all channels of a process share: so it knows which
 * thread a connection has, and can send from there. Thread-safe.
 */
final class NetworkThreads implements Network {

  private static final int STOP_SECONDS = 1;

  /** Nodes end connections that ping more often than every ten seconds. */
  private static final long KEEP_ALIVE_SECONDS = 20;

  private static final long KEEP_ALIVE_ANSWER_SECONDS = 5;

  private final int maxMessageBytes;
  private final EventLoopGroup loops;

  /**
   * Daemon threads, of which each starts with its first connection.
   *
   * @param maxMessageBytes the longest message to take
   */
  NetworkThreads(int maxMessageBytes) {
    this.maxMessageBytes = maxMessageBytes;
    this.loops =
        new MultiThreadIoEventLoopGroup(
            Runtime.getRuntime().availableProcessors(),
            new DefaultThreadFactory("colonnade-network", true),
            Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
  }

  @Override
  public Route to(String target) {
    EventLoop loop = loops.next();
    return new Route(
        NettyChannelBuilder.forTarget(target)
            .eventLoopGroup(loop)
            .channelType(Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class)
            .usePlaintext()
            // A machine that vanishes says nothing. The ring is watched all the time, so pings are
            // sent.
            .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
            .keepAliveTimeout(KEEP_ALIVE_ANSWER_SECONDS, TimeUnit.SECONDS)
            .maxInboundMessageSize(maxMessageBytes),
        loop);
  }

  @Override
  public void close() {
    var unused = loops.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS);
  }
}

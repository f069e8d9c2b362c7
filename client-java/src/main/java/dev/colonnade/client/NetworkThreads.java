package dev.colonnade.client;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
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
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The threads that a client's connections are read and written on, one for each processor at most.
 * A client has its own, and not those that all channels of a process share: so it knows which
 * thread a connection has, and can send from there. Thread-safe.
 */
final class NetworkThreads implements Network {

  private static final int STOP_SECONDS = 1;

  private static final long KEEP_ALIVE_ANSWER_SECONDS = 5;

  private final int maxMessageBytes;
  private final ClientOptions options;
  private final Optional<PasswordCredentials> password;
  private final EventLoopGroup loops;
  private final ChannelCredentials credentials;

  /**
   * Daemon threads, of which each starts with its first connection.
   *
   * @param maxMessageBytes the longest message to take
   * @param options what connections are like
   * @throws java.io.UncheckedIOException if a file of the TLS options cannot be read
   * @throws IllegalArgumentException if such a file does not hold what it should, if there is a
   *     token and no encryption, or a user without a password, or both a token and a user
   */
  NetworkThreads(int maxMessageBytes, ClientOptions options) {
    if (options.tokens().isPresent() && options.tls().isEmpty()) {
      throw new IllegalArgumentException(
          "a token needs TLS: on a connection that is not encrypted, anyone could read it");
    }
    this.password = password(options);
    this.maxMessageBytes = maxMessageBytes;
    this.options = options;
    this.loops =
        new MultiThreadIoEventLoopGroup(
            Runtime.getRuntime().availableProcessors(),
            new DefaultThreadFactory("colonnade-network", true),
            Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    try {
      this.credentials =
          options
              .tls()
              .map(tls -> TlsFiles.credentials(tls, loops))
              .orElseGet(InsecureChannelCredentials::create);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private static Optional<PasswordCredentials> password(ClientOptions options) {
    Optional<String> user = options.user();
    Optional<PasswordSource> password = options.password();
    if (user.isPresent() && password.isEmpty()) {
      throw new IllegalArgumentException(
          "the user " + user.get() + " has no password: give password_file, or password");
    }
    if (password.isPresent() && user.isEmpty()) {
      throw new IllegalArgumentException("there is a password, and no user whose it is");
    }
    if (user.isPresent() && options.tokens().isPresent()) {
      throw new IllegalArgumentException(
          "a client sends a token, or a user's name and password, and not both");
    }
    return user.map(name -> new PasswordCredentials(name, password.orElseThrow()));
  }

  @Override
  public Route to(String target) {
    EventLoop loop = loops.next();
    NettyChannelBuilder channel =
        NettyChannelBuilder.forTarget(target, credentials)
            .eventLoopGroup(loop)
            .channelType(Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class)
            // The ring is watched all the time, so pings are sent.
            .keepAliveTime(options.keepAlive().toNanos(), TimeUnit.NANOSECONDS)
            .keepAliveTimeout(KEEP_ALIVE_ANSWER_SECONDS, TimeUnit.SECONDS)
            .maxInboundMessageSize(maxMessageBytes);
    options.tls().flatMap(Tls::serverName).ifPresent(channel::overrideAuthority);
    options.tokens().ifPresent(tokens -> channel.intercept(new TokenCredentials(tokens)));
    password.ifPresent(channel::intercept);
    return new Route(channel, loop);
  }

  @Override
  public void close() {
    var unused = loops.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS);
  }
}

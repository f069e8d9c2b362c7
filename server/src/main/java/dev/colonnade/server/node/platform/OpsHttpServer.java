package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.async.Futures;
import dev.colonnade.server.node.tls.ClientTls;
import io.grpc.netty.shaded.io.netty.bootstrap.ServerBootstrap;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelInitializer;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.group.ChannelGroup;
import io.grpc.netty.shaded.io.netty.channel.group.DefaultChannelGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.SocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpServerCodec;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The HTTP/1.1 server for operators and their tools, with GET and HEAD. It only reports, and
 * changes nothing.
 *
 * <p>It has an event loop of its own, which runs no work of the store and which no connection can
 * block: a request that does not arrive in time, or an answer that is not read, ends its
 * connection, and when there are too many connections, silent ones are closed. Slower pages are
 * built on one further thread.
 */
public final class OpsHttpServer implements Closeable {

  /**
   * The limits.
   *
   * @param maxConnections at a time
   * @param requestLimit how long a request may take to arrive; also how long a connection may wait
   *     for its next one, and how long an answer may wait for its reader
   * @param maxWaiting pages that may wait for the thread that builds them; more are refused
   * @param maxRequestBytes of a request's line, and of its headers together
   */
  public record HttpLimits(
      int maxConnections, Duration requestLimit, int maxWaiting, int maxRequestBytes) {

    /**
     * There are only a few probes and scrapers. Five seconds are longer than a probe waits.
     * Browsers send headers of one or two KiB.
     */
    public static final HttpLimits DEFAULT = new HttpLimits(64, Duration.ofSeconds(5), 16, 8 << 10);
  }

  /**
   * Whether the node accepts requests.
   *
   * @param problems everything that is wrong, for operators, even if it affects no client; empty if
   *     nothing is
   */
  public record Readiness(boolean isReady, Optional<String> problems) {
    private OpsPage.PageAnswer answer() {
      return isReady
          ? OpsPage.PageAnswer.text(200, problems.map("ok, but "::concat).orElse("ok") + "\n")
          : OpsPage.PageAnswer.text(503, problems.orElse("not ready") + "\n");
    }
  }

  /** Closing a connection waits for nothing but its event loop. */
  private static final Duration CLOSING_MAX = Duration.ofSeconds(1);

  private final Channel listening;

  /** Closed with the server: an event loop that ends may leave idle ones open. */
  private final ChannelGroup connections;

  private final EventLoopGroup loop;
  private final ThreadPoolExecutor slowPages;
  private final ConnectionGate gate;

  private OpsHttpServer(
      Channel listening,
      ChannelGroup connections,
      EventLoopGroup loop,
      ThreadPoolExecutor slowPages,
      ConnectionGate gate) {
    this.listening = listening;
    this.connections = connections;
    this.loop = loop;
    this.slowPages = slowPages;
    this.gate = gate;
  }

  /**
   * Starts serving {@code /healthz}, {@code /readyz}, {@code /metrics}, and further pages.
   *
   * @param address where to listen; port 0 takes a free one
   * @param whyUnhealthy empty while the node works, otherwise the reason; must be quick
   * @param readiness must be quick
   * @param further pages
   * @param access who may see the pages for monitors
   * @param tls empty for connections that are not encrypted
   * @throws IOException if the address cannot be bound
   */
  public static OpsHttpServer start(
      InetSocketAddress address,
      Supplier<Optional<String>> whyUnhealthy,
      Supplier<Readiness> readiness,
      PrometheusRegistry metrics,
      List<OpsPage> further,
      PageAccess access,
      Optional<ClientTls> tls)
      throws IOException {
    List<OpsPage> pages = new ArrayList<>();
    pages.add(probe("/healthz", () -> state(whyUnhealthy.get())));
    pages.add(probe("/readyz", () -> readiness.get().answer()));
    pages.add(MetricsPage.of(metrics));
    pages.addAll(further);
    return start(address, pages, access, HttpLimits.DEFAULT, FileDescriptors.ofProcess(), tls);
  }

  private static OpsPage probe(String path, Supplier<OpsPage.PageAnswer> answer) {
    return new OpsPage(
        path, OpsPage.Cost.QUICK, OpsPage.Audience.EVERYONE, request -> answer.get());
  }

  private static OpsPage.PageAnswer state(Optional<String> problem) {
    return OpsPage.PageAnswer.text(problem.isEmpty() ? 200 : 503, problem.orElse("ok") + "\n");
  }

  static OpsHttpServer start(
      InetSocketAddress address,
      List<OpsPage> pages,
      PageAccess access,
      HttpLimits limits,
      FileDescriptors descriptors,
      Optional<ClientTls> tls)
      throws IOException {
    EventLoopGroup loop =
        new MultiThreadIoEventLoopGroup(
            1, StagePool.threads("colonnade-http"), NioIoHandler.newFactory());
    ThreadPoolExecutor slowPages =
        new ThreadPoolExecutor(
            1,
            1,
            30,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(limits.maxWaiting()),
            StagePool.threads("colonnade-http-pages"));
    slowPages.allowCoreThreadTimeOut(true);
    // Probes need a file descriptor even when clients and files have used up theirs.
    ConnectionGate gate =
        new ConnectionGate(
            "HTTP",
            ConnectionGate.GateLimits.of(limits.maxConnections(), 1),
            ConnectionGate.Counts.WHEN_TOLD,
            descriptors);
    // What is accepted while it closes is closed, too.
    ChannelGroup connections = new DefaultChannelGroup(loop.next(), true);
    try {
      Channel listening =
          new ServerBootstrap()
              .group(loop)
              .channelFactory(gate.inFrontOf(NioServerSocketChannel.class))
              .option(ChannelOption.SO_REUSEADDR, true)
              .childHandler(
                  new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                      connections.add(channel);
                      tls.ifPresent(each -> encrypt(channel, each));
                      channel
                          .pipeline()
                          .addLast(
                              new HttpServerCodec(
                                  limits.maxRequestBytes(),
                                  limits.maxRequestBytes(),
                                  limits.maxRequestBytes()))
                          .addLast(new OpsConnection(pages, access, limits, slowPages, gate));
                    }
                  })
              .bind(address)
              .syncUninterruptibly()
              .channel();
      return new OpsHttpServer(listening, connections, loop, slowPages, gate);
    } catch (Exception e) {
      // Netty throws the cause of the failure, whatever it declares.
      stop(loop);
      slowPages.shutdown();
      throw e instanceof IOException cannotBind ? cannotBind : new IOException(e);
    }
  }

  private static void encrypt(Channel connection, ClientTls tls) {
    tls.connections().add(connection);
    connection.pipeline().addLast(tls.http().newHandler(connection.alloc()));
  }

  /** The address it listens on, with the actual port. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listening.localAddress();
  }

  /** The number of open connections. */
  public int connections() {
    return gate.open();
  }

  /** Connections closed for lack of room, since start. */
  public long connectionsRefused() {
    return gate.refused();
  }

  private static void stop(EventLoopGroup loop) {
    Futures.ignore(loop.shutdownGracefully(0, 1, TimeUnit.SECONDS));
  }

  /** Stops at once; its connections are closed when this returns. */
  @Override
  public void close() {
    Futures.ignore(listening.close().syncUninterruptibly());
    connections.close().awaitUninterruptibly(CLOSING_MAX.toMillis());
    stop(loop);
    slowPages.shutdown();
  }
}

package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.async.Futures;
import dev.colonnade.server.base.env.Watched;
import dev.colonnade.server.node.tls.ClientTls;
import io.grpc.ServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.util.concurrent.EventExecutor;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The port for clients: gRPC with limited connections, and the event loops that serve them.
 * Thread-safe.
 */
public final class ClientPort implements AutoCloseable {

  private static final Duration HANDSHAKE_LIMIT = Duration.ofSeconds(5);
  private static final Duration KEEP_ALIVE_TIME = Duration.ofSeconds(60);
  private static final Duration KEEP_ALIVE_TIMEOUT = Duration.ofSeconds(20);
  private static final Duration IDLE_LIMIT = Duration.ofMinutes(30);
  private static final int MAX_CALLS_PER_CONNECTION = 1_000;

  private final EventLoopGroup accepting = EventLoops.group(1, "colonnade-accept");
  private final EventLoopGroup serving;

  /** Each event loop, and the executor that runs a task after it has polled its connections. */
  private final Map<EventExecutor, Executor> afterOthers = new LinkedHashMap<>();

  private final GrpcListener listener;

  private ClientPort(
      InetSocketAddress address,
      int maxConnections,
      int windowBytes,
      int threads,
      Optional<ClientTls> tls) {
    this.serving = EventLoops.group(threads, "colonnade-clients");
    for (EventExecutor loop : serving) {
      // A task submitted directly would run before the loop polls its connections.
      afterOthers.put(loop, task -> Futures.ignore(loop.schedule(task, 1, TimeUnit.NANOSECONDS)));
    }
    GrpcListener.ListenerLimits limits =
        new GrpcListener.ListenerLimits(
            maxConnections,
            HANDSHAKE_LIMIT,
            KEEP_ALIVE_TIME,
            KEEP_ALIVE_TIMEOUT,
            IDLE_LIMIT,
            MAX_CALLS_PER_CONNECTION,
            windowBytes);
    this.listener =
        GrpcListener.at(
            "clients", address, limits, accepting, serving, FileDescriptors.ofProcess());
    // Reads one piece of one connection's flood, and then turns to the next connection.
    listener
        .builder()
        .withChildOption(
            ChannelOption.RECVBUF_ALLOCATOR,
            new AdaptiveRecvByteBufAllocator().maxMessagesPerRead(1));
    tls.ifPresent(encryption -> listener.encrypt(encryption.grpc(), encryption.connections()));
  }

  /**
   * Creates a port that is not bound yet.
   *
   * @param address port 0 for any free one
   * @param maxConnections at a time; one address may have three quarters of them
   * @param windowBytes what a client may send ahead, on a connection as in a call
   * @param threads event loops that serve connections
   * @param tls empty for connections that are not encrypted
   */
  public static ClientPort at(
      InetSocketAddress address,
      int maxConnections,
      int windowBytes,
      int threads,
      Optional<ClientTls> tls) {
    return new ClientPort(address, maxConnections, windowBytes, threads, tls);
  }

  /** The builder of the server, to which services and limits of calls are added. Called once. */
  public ServerBuilder<?> builder() {
    return listener.builder();
  }

  /** Its event loops, for the watchdog. */
  public Watched loops() {
    return new LoopWatch("event loops of clients", accepting, serving);
  }

  /**
   * The calling thread's event loop, which runs a task after it has polled all its connections once
   * more; always the same object for the same loop. Null on other threads.
   */
  public @Nullable Executor currentLoop() {
    for (Map.Entry<EventExecutor, Executor> loop : afterOthers.entrySet()) {
      if (loop.getKey().inEventLoop()) {
        return loop.getValue();
      }
    }
    return null;
  }

  /** The number of open connections. */
  public int connections() {
    return listener.connections();
  }

  /** Connections closed for lack of room, since start. */
  public long connectionsRefused() {
    return listener.connectionsRefused();
  }

  /** Stops the event loops; call after the server has stopped. */
  @Override
  public void close() {
    Futures.ignore(accepting.shutdownGracefully(0, 1, TimeUnit.SECONDS));
    Futures.ignore(serving.shutdownGracefully(0, 1, TimeUnit.SECONDS));
  }
}

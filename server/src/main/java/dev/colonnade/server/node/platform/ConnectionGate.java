package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.async.Futures;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelFactory;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandler.Sharable;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.ReflectiveChannelFactory;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the connections of one port. At the limit, the oldest connection that has not sent
 * anything yet makes room for a new one; if there is none, the new one is closed. Connections that
 * are opened and stay silent thus replace only each other.
 *
 * <p>Thread-safe; connections arrive on the event loop that accepts, and leave on their own.
 */
@Sharable
final class ConnectionGate extends ChannelInboundHandlerAdapter {

  private static final Logger LOG = LoggerFactory.getLogger(ConnectionGate.class);

  /**
   * The limits of one port.
   *
   * @param max connections at a time
   * @param maxPerAddress connections of one address at a time; fewer than {@code max}, so that one
   *     machine cannot keep all others out
   * @param keptDescriptors how many file descriptors must be left after a connection
   */
  record GateLimits(int max, int maxPerAddress, long keptDescriptors) {

    /** One address gets three quarters. */
    static GateLimits of(int max, long keptDescriptors) {
      return new GateLimits(max, Math.max(1, max - max / 4), keptDescriptors);
    }
  }

  /** What a connection must do to be safe from being replaced. */
  enum Counts {
    /**
     * Send its first bytes; a connection that then sends nothing useful is ended by the protocol's
     * deadline. When the port is full, connections are accepted at a limited rate: see {@link
     * AcceptPace}.
     */
    FIRST_BYTES,
    /**
     * Be reported by its handler, with {@link #speaks}. A new connection is always accepted at
     * once: it may be a probe, which has a second.
     */
    WHEN_TOLD
  }

  private final String port;
  private final GateLimits limits;
  private final Counts counts;
  private final FileDescriptors descriptors;
  private final SparseLog refusals = new SparseLog(SparseLog.PERIOD);
  private final SparseLog failures = new SparseLog(SparseLog.PERIOD);
  private final LongAdder refused = new LongAdder();
  private final Map<Object, Integer> openOf = new HashMap<>();

  /** Connections that have not sent anything, the oldest first. */
  private final Set<Channel> silent = new LinkedHashSet<>();

  /** Used by the accepting thread only. */
  private final AcceptPace pace = new AcceptPace(System.nanoTime());

  private Consumer<Channel> admitted = connection -> {};
  private int open;

  /**
   * Creates a gate without connections.
   *
   * @param port whose connections these are, for the log
   */
  ConnectionGate(String port, GateLimits limits, Counts counts, FileDescriptors descriptors) {
    this.port = port;
    this.limits = limits;
    this.counts = counts;
    this.descriptors = descriptors;
  }

  /** Sets who hears of each connection that is let in. To be called before the port is bound. */
  void listen(Consumer<Channel> listener) {
    admitted = listener;
  }

  /** Creates server channels whose connections pass this gate. */
  <T extends ServerChannel> ChannelFactory<T> inFrontOf(Class<T> type) {
    ReflectiveChannelFactory<T> factory = new ReflectiveChannelFactory<>(type);
    return () -> {
      T channel = factory.newChannel();
      // Placed before the handler that passes a connection to its event loop.
      channel.pipeline().addLast(this);
      return channel;
    };
  }

  /** The number of open connections. */
  synchronized int open() {
    return open;
  }

  /** Connections closed for lack of room, since start. */
  long refused() {
    return refused.sum();
  }

  /** Marks a connection as active: it is not closed to make room. */
  synchronized void speaks(Channel connection) {
    silent.remove(connection);
  }

  /** Marks a connection as waiting for its other end: it may be closed to make room. */
  synchronized void isSilent(Channel connection) {
    if (connection.isOpen()) {
      silent.add(connection);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    Channel connection = (Channel) message;
    Object address = addressOf(connection);
    String reason;
    Channel oldest = null;
    synchronized (this) {
      reason = whyNot(address);
      if (reason != null) {
        oldest = oldestSilent(reason.equals(ADDRESS_FULL) ? address : null);
      }
      if (reason == null || oldest != null) {
        open++;
        openOf.merge(address, 1, Integer::sum);
        silent.add(connection);
      }
    }
    if (reason != null) {
      slowDown(context.channel());
      refuse(oldest == null ? connection : oldest, reason);
      if (oldest == null) {
        return;
      }
    }
    Futures.ignore(connection.closeFuture().addListener(closed -> left(connection, address)));
    admitted.accept(connection);
    if (counts == Counts.FIRST_BYTES) {
      connection.pipeline().addFirst(new FirstBytes());
    }
    context.fireChannelRead(message);
  }

  private void slowDown(Channel listening) {
    long pauseNanos = counts == Counts.FIRST_BYTES ? pace.tookWhenFull(System.nanoTime()) : 0;
    if (pauseNanos > 0) {
      listening.config().setAutoRead(false);
      EventLoops.after(
          listening.eventLoop(), pauseNanos, () -> listening.config().setAutoRead(true));
    }
  }

  private static final String ADDRESS_FULL = "its address has reached the limit for one address";

  private @Nullable String whyNot(Object address) {
    if (open >= limits.max()) {
      return "the limit of " + limits.max() + " connections is reached";
    }
    if (openOf.getOrDefault(address, 0) >= limits.maxPerAddress()) {
      return ADDRESS_FULL;
    }
    return descriptors.take(limits.keptDescriptors(), System.nanoTime())
        ? null
        : "the process is running out of file descriptors";
  }

  private @Nullable Channel oldestSilent(@Nullable Object address) {
    Iterator<Channel> candidates = silent.iterator();
    while (candidates.hasNext()) {
      Channel candidate = candidates.next();
      // A connection that its event loop has not registered yet would not report that it is closed.
      if (candidate.isRegistered() && (address == null || address.equals(addressOf(candidate)))) {
        candidates.remove();
        return candidate;
      }
    }
    return null;
  }

  private void refuse(Channel connection, String reason) {
    refused.increment();
    refusals.report(
        silently ->
            LOG.warn(
                "closed a connection of {} to the port for {}: {}{}",
                connection.remoteAddress(),
                port,
                reason,
                SparseLog.andMore(silently)));
    closeAtOnce(connection);
  }

  /** Closes without the protocol's orderly shutdown, which would wait for an answer. */
  private static void closeAtOnce(Channel connection) {
    if (!connection.isRegistered()) {
      connection.unsafe().closeForcibly();
      return;
    }
    try {
      connection
          .eventLoop()
          .execute(() -> connection.unsafe().close(connection.unsafe().voidPromise()));
    } catch (RejectedExecutionException stopped) {
      LOG.debug("a connection outlived its event loop", stopped);
    }
  }

  private synchronized void left(Channel connection, Object address) {
    silent.remove(connection);
    open--;
    openOf.computeIfPresent(address, (same, count) -> count == 1 ? null : count - 1);
  }

  private static Object addressOf(Channel connection) {
    if (connection.remoteAddress() instanceof InetSocketAddress internet) {
      InetAddress address = internet.getAddress();
      return address == null ? internet : address;
    }
    return "unknown";
  }

  /**
   * Accepting failed, most likely for lack of file descriptors. The next handler retries in a
   * second.
   */
  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    failures.report(
        silently ->
            LOG.warn(
                "could not accept a connection to the port for {}: {}{}",
                port,
                cause.getMessage(),
                SparseLog.andMore(silently)));
    context.fireExceptionCaught(cause);
  }

  /** Watches a connection until its first bytes arrive. */
  private final class FirstBytes extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      speaks(context.channel());
      context.pipeline().remove(this);
      context.fireChannelRead(message);
    }
  }
}

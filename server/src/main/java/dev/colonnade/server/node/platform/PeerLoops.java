package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.env.Watched;
import dev.colonnade.server.cluster.net.ChannelClass;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.TimeUnit;

/** The event loops for other nodes: one for gossip alone, and some for everything else. */
final class PeerLoops {
  private static final long QUIET_MILLIS = 0;

  private final EventLoopGroup gossip;
  private final EventLoopGroup others;

  PeerLoops(int threads) {
    gossip = EventLoops.group(1, "colonnade-gossip");
    others = EventLoops.group(threads, "colonnade-peers");
  }

  Class<? extends Channel> channelType() {
    return Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class;
  }

  /** The loop for a connection that this node opens. */
  EventLoop next(ChannelClass channel) {
    return channel == ChannelClass.GOSSIP ? gossip.next() : others.next();
  }

  /** The loops that accept connections of other nodes, which is little work. */
  EventLoopGroup accepting() {
    return gossip;
  }

  /** The loops for accepted connections, whose channel class is not known yet. */
  EventLoopGroup accepted() {
    return others;
  }

  /** The loop of the calling thread. */
  EventExecutor current() {
    for (EventExecutor loop : others) {
      if (loop.inEventLoop()) {
        return loop;
      }
    }
    throw new IllegalStateException(
        Thread.currentThread().getName() + " is not a thread of the connections between nodes");
  }

  Watched watched() {
    return new LoopWatch("event loops of nodes", gossip, others);
  }

  /** Stops the threads; waits for them up to the limit. */
  void stop(long limitNanos) throws InterruptedException {
    long limitMillis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(limitNanos));
    var gossipEnds = gossip.shutdownGracefully(QUIET_MILLIS, limitMillis, TimeUnit.MILLISECONDS);
    var othersEnd = others.shutdownGracefully(QUIET_MILLIS, limitMillis, TimeUnit.MILLISECONDS);
    gossipEnds.await(limitMillis, TimeUnit.MILLISECONDS);
    othersEnd.await(limitMillis, TimeUnit.MILLISECONDS);
  }
}

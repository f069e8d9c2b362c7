package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Futures;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.IoHandlerFactory;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.TimeUnit;

/** Creates the threads of the network. */
final class EventLoops {

  private EventLoops() {}

  /** Runs a task on an event loop after a delay. What it throws is logged. */
  static void after(EventExecutor loop, long delayNanos, Runnable task) {
    Futures.ignore(
        loop.schedule(
            () -> {
              try {
                task.run();
              } catch (RuntimeException | Error e) {
                Errors.report("a delayed task of an event loop failed", e);
              }
            },
            delayNanos,
            TimeUnit.NANOSECONDS));
  }

  /**
   * Creates a group of daemon threads of that name; none is started before there is work for it.
   */
  static EventLoopGroup group(int threads, String name) {
    IoHandlerFactory handlers =
        Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    return new MultiThreadIoEventLoopGroup(threads, StagePool.threads(name), handlers);
  }
}

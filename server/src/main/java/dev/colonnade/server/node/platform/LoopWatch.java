package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.env.Watched;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.SingleThreadEventLoop;
import io.grpc.netty.shaded.io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Watches whether event loops make progress: each gets a task at every look, and counts as stuck
 * until it has run it.
 */
final class LoopWatch implements Watched {
  private final String part;
  private final List<Beat> beats = new ArrayList<>();

  /**
   * Watches the loops of these groups.
   *
   * @param part what they are, for messages
   */
  LoopWatch(String part, EventLoopGroup... groups) {
    this.part = part;
    for (EventLoopGroup group : groups) {
      for (EventExecutor loop : group) {
        if (loop instanceof SingleThreadEventLoop single) {
          beats.add(new Beat(single, beats.size() + 1));
        }
      }
    }
  }

  @Override
  public void report(Observer observer) {
    for (Beat beat : beats) {
      if (beat.isAwaited()) {
        observer.atWork(part, "loop " + beat.number, beat.count, beat::where);
      }
    }
  }

  /** The task of one loop, submitted once at a time. */
  private static final class Beat implements Runnable {
    private final SingleThreadEventLoop loop;
    private final int number;
    private volatile boolean awaited;
    private volatile long count;
    private volatile @Nullable Thread thread;

    Beat(SingleThreadEventLoop loop, int number) {
      this.loop = loop;
      this.number = number;
    }

    /** Submits the task again if it has run; returns whether it is pending. */
    synchronized boolean isAwaited() {
      if (awaited) {
        return true;
      }
      if (loop.isShuttingDown()) {
        return false;
      }
      awaited = true;
      try {
        loop.execute(this);
        return true;
      } catch (RejectedExecutionException over) {
        awaited = false;
        return false;
      }
    }

    /** Called by the loop only. */
    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate")
    public void run() {
      thread = Thread.currentThread();
      count++;
      awaited = false;
    }

    String where() {
      Thread known = thread;
      return known == null ? "it has not begun yet" : StagePool.stack(known);
    }
  }
}

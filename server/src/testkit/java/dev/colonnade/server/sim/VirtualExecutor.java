package dev.colonnade.server.sim;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What gRPC sets its deadlines with: an executor with timers on virtual time. It never ends. */
final class VirtualExecutor extends AbstractExecutorService implements ScheduledExecutorService {

  /** Puts an action into the queue of events. */
  @FunctionalInterface
  interface Timers {
    Event after(long delayNanos, Runnable action);
  }

  private final VirtualTime time;
  private final Timers timers;

  VirtualExecutor(VirtualTime time, Timers timers) {
    this.time = time;
    this.timers = timers;
  }

  @Override
  public void execute(Runnable task) {
    var unused = timers.after(0, task);
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    return schedule(Executors.callable(task), delay, unit);
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
    Timer<V> timer = new Timer<>(task, time.nanos() + unit.toNanos(delay));
    timer.event = timers.after(Math.max(0, unit.toNanos(delay)), timer);
    return timer;
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable task, long initialDelay, long period, TimeUnit unit) {
    throw new UnsupportedOperationException("no deadline is periodic");
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable task, long initialDelay, long delay, TimeUnit unit) {
    throw new UnsupportedOperationException("no deadline is periodic");
  }

  @Override
  public void shutdown() {
    // It ends with its world.
  }

  @Override
  public List<Runnable> shutdownNow() {
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return false;
  }

  @Override
  public boolean isTerminated() {
    return false;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return false;
  }

  private final class Timer<V> extends FutureTask<V> implements ScheduledFuture<V> {
    private final long dueNanos;
    private @Nullable Event event;

    Timer(Callable<V> task, long dueNanos) {
      super(task);
      this.dueNanos = dueNanos;
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
      Event waiting = event;
      if (waiting != null) {
        waiting.cancelled = true;
      }
      return super.cancel(false);
    }

    @Override
    protected void setException(Throwable thrown) {
      super.setException(thrown);
      throw new AssertionError("a timer of a call threw", thrown);
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(dueNanos - time.nanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }
  }
}

package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs stages as bounded thread pools, with one timer thread that submits due tasks to them. All
 * threads are daemons named after their stage, and none is ever interrupted.
 */
public final class StageScheduler implements Scheduler {
  private static final long RETRY_MILLIS = 10;

  private final Map<Stage, StagePool> pools = new EnumMap<>(Stage.class);
  private final ScheduledThreadPoolExecutor timer;
  private final int maxTimers;

  /** Starts no thread before there is work for it. Errors of tasks are only logged. */
  public StageScheduler(StageSizes sizes) {
    this(sizes, error -> {});
  }

  /**
   * Starts no thread before there is work for it.
   *
   * @param onError receives errors of tasks, on their threads, after they were logged: code that
   *     waits for such a task may not learn of the error otherwise
   */
  public StageScheduler(StageSizes sizes, Consumer<Error> onError) {
    for (Stage stage : Stage.values()) {
      pools.put(stage, new StagePool(stage, sizes.of(stage), onError));
    }
    timer = new ScheduledThreadPoolExecutor(1, StagePool.threads("colonnade-timer"));
    timer.setRemoveOnCancelPolicy(true);
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    timer.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
    maxTimers = sizes.maxTimers();
  }

  @Override
  public boolean submit(Stage stage, Runnable task) {
    return pool(stage).submit(task);
  }

  @Override
  public Cancellable after(Duration delay, Stage stage, Runnable task) {
    Timed timed = new Timed(pool(stage), task, false);
    start(timed, () -> timed.arm(delay.toNanos()));
    return timed;
  }

  @Override
  public Cancellable every(Duration period, Stage stage, Runnable task) {
    if (period.isZero() || period.isNegative()) {
      throw new IllegalArgumentException("a period is positive, not " + period);
    }
    Timed timed = new Timed(pool(stage), task, true);
    start(timed, () -> timed.repeat(period.toNanos()));
    return timed;
  }

  @Override
  public @Nullable Stage current() {
    StagePool pool = StagePool.current();
    return pool != null && pools.get(pool.stage()) == pool ? pool.stage() : null;
  }

  @Override
  public List<StageFigures> figures() {
    List<StageFigures> figures = new ArrayList<>();
    pools.values().forEach(pool -> figures.add(pool.figures()));
    return List.copyOf(figures);
  }

  @Override
  public void report(Observer observer) {
    pools.values().forEach(pool -> pool.report(observer));
  }

  /**
   * Stops timers, runs queued tasks, and refuses new tasks stage by stage in the order of {@link
   * Stage}, so that an earlier stage can still submit work to a later one. Blocks.
   *
   * @return false if the time ran out first; queued tasks then no longer run
   */
  public boolean drain(Duration limit) throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    timer.shutdown();
    boolean drained = true;
    for (StagePool pool : pools.values()) {
      drained &= pool.drain(deadline - System.nanoTime());
    }
    if (!drained) {
      abandon();
    }
    return drained;
  }

  /**
   * Refuses new tasks and drops the queued ones at once. Running tasks continue until they end by
   * themselves.
   */
  public void abandon() {
    timer.shutdown();
    pools.values().forEach(StagePool::abandon);
  }

  private StagePool pool(Stage stage) {
    StagePool pool = pools.get(stage);
    if (pool == null) {
      throw new IllegalStateException("no pool for stage " + stage);
    }
    return pool;
  }

  private void start(Timed timed, Runnable arm) {
    if (timer.getQueue().size() >= maxTimers) {
      throw new RejectedExecutionException(
          maxTimers + " delayed tasks are waiting already, which is the limit");
    }
    if (timer.isShutdown()) {
      timed.cancel();
    } else {
      armOrReject(arm);
    }
  }

  private static void armOrReject(Runnable arm) {
    try {
      arm.run();
    } catch (OutOfMemoryError noThread) {
      if (!Errors.isOverload(noThread)) {
        throw noThread;
      }
      throw new RejectedExecutionException("no thread could be started for timers", noThread);
    }
  }

  /** One delayed or periodic task. */
  private final class Timed implements Cancellable {
    private final StagePool pool;
    private final Runnable task;
    private final boolean periodic;
    private final Object lock = new Object();
    private @Nullable Future<?> armed;
    private volatile boolean cancelled;
    private volatile boolean queued;

    Timed(StagePool pool, Runnable task, boolean periodic) {
      this.pool = pool;
      this.task = task;
      this.periodic = periodic;
    }

    void arm(long delayNanos) {
      synchronized (lock) {
        if (!cancelled) {
          armed = scheduleOnce(delayNanos);
        }
      }
    }

    void repeat(long periodNanos) {
      synchronized (lock) {
        try {
          armed =
              timer.scheduleAtFixedRate(this::due, periodNanos, periodNanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException shutDown) {
          cancelled = true;
        }
      }
    }

    private @Nullable Future<?> scheduleOnce(long delayNanos) {
      try {
        return timer.schedule(this::due, delayNanos, TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException shutDown) {
        cancelled = true;
        return null;
      }
    }

    /** Must not throw: a periodic task would not run again. */
    private void due() {
      if (cancelled || queued) {
        return;
      }
      queued = true;
      boolean taken = false;
      try {
        taken = pool.submit(this::run);
      } catch (RuntimeException | Error e) {
        Errors.report("a task could not be passed to stage " + pool.stage(), e);
      }
      if (!taken) {
        queued = false;
        if (!periodic && !pool.isShutdown()) {
          arm(TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS));
        }
      }
    }

    private void run() {
      queued = false;
      if (!cancelled) {
        task.run();
      }
    }

    @Override
    public void cancel() {
      synchronized (lock) {
        cancelled = true;
        if (armed != null) {
          armed.cancel(false);
        }
      }
    }
  }
}

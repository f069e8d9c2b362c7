package dev.colonnade.server.sim;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import io.grpc.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All stages of a node over an event queue on virtual time. Each stage runs one task at a time, on
 * the thread that calls {@link #runUntilIdle}, {@link #advance} or {@link #step}, or that drives
 * the {@link World}; nothing runs by itself.
 *
 * <p>What a task throws is counted and kept for {@link #failures}; the queue goes on, as in
 * production.
 */
public final class SimScheduler implements Scheduler {
  private final EventQueue queue;
  private final Map<Stage, StageQueue> stageQueues = new EnumMap<>(Stage.class);
  private final List<Throwable> failures = new ArrayList<>();
  private final int queuePlaces;
  private final @Nullable RandomSource delays;
  private final int maxDelayNanos;
  private Consumer<Stage> observer = stage -> {};
  private @Nullable Stage current;
  private boolean shutDown;
  private boolean prompt;

  /** A scheduler whose stages each hold any number of tasks that a test will queue. */
  public SimScheduler(SimClock clock) {
    this(clock, 1_000_000);
  }

  /** A scheduler whose stages each hold {@code queuePlaces} tasks that are due. */
  public SimScheduler(SimClock clock, int queuePlaces) {
    this(new EventQueue(clock.time()), null, queuePlaces, null, 0);
  }

  /**
   * A node's view of a queue that it shares.
   *
   * @param node held back while that is closed; null for never
   * @param delays how long a task waits in its stage before it runs, below {@code maxDelayNanos};
   *     tasks of one stage keep their order. Null for not at all
   */
  SimScheduler(
      EventQueue queue,
      @Nullable Gate node,
      int queuePlaces,
      @Nullable RandomSource delays,
      int maxDelayNanos) {
    this.queue = queue;
    this.queuePlaces = queuePlaces;
    this.delays = delays;
    this.maxDelayNanos = maxDelayNanos;
    for (Stage stage : Stage.values()) {
      stageQueues.put(stage, new StageQueue(new Gate(node)));
    }
  }

  @Override
  public synchronized boolean submit(Stage stage, Runnable task) {
    StageQueue stageQueue = of(stage);
    if (shutDown || stageQueue.pending >= queuePlaces) {
      stageQueue.rejected++;
      return false;
    }
    stageQueue.pending++;
    queue.add(new Task(stageQueue.begin(this), stage, task, 0, true));
    if (prompt) {
      runUntilIdle();
    }
    return true;
  }

  @Override
  public synchronized Cancellable after(Duration delay, Stage stage, Runnable task) {
    return timer(delay, stage, task, 0);
  }

  @Override
  public synchronized Cancellable every(Duration period, Stage stage, Runnable task) {
    if (period.isZero() || period.isNegative()) {
      throw new IllegalArgumentException("a period is positive, not " + period);
    }
    return timer(period, stage, task, period.toNanos());
  }

  private Cancellable timer(Duration delay, Stage stage, Runnable task, long periodNanos) {
    Task timed =
        new Task(nowNanos() + Math.max(0, delay.toNanos()), stage, task, periodNanos, false);
    if (!shutDown) {
      queue.add(timed);
    }
    return () -> timed.cancelled = true;
  }

  @Override
  public @Nullable Stage current() {
    return current;
  }

  /** Does something in the name of the node, but outside of its stages, as an event loop does. */
  public void outside(Runnable action) {
    within(null, action);
  }

  /**
   * What runs inside of a task that waits for its disk is not that task's work, nor done for the
   * call that the task works for.
   */
  private void within(@Nullable Stage stage, Runnable action) {
    Stage before = current;
    current = stage;
    Context itsContext = Context.ROOT.attach();
    try {
      action.run();
    } finally {
      Context.ROOT.detach(itsContext);
      current = before;
    }
  }

  @Override
  public synchronized List<StageFigures> figures() {
    List<StageFigures> result = new ArrayList<>();
    stageQueues.forEach(
        (stage, stageQueue) ->
            result.add(
                new StageFigures(
                    stage,
                    stageQueue.gate.isClosed() ? 1 : 0,
                    stageQueue.pending,
                    stageQueue.completed,
                    stageQueue.rejected,
                    stageQueue.failed,
                    stageQueue.gate.isClosed()
                        ? Duration.ofNanos(nowNanos() - stageQueue.movedNanos)
                        : Duration.ZERO)));
    return List.copyOf(result);
  }

  @Override
  public synchronized void report(Observer observer) {
    stageQueues.forEach(
        (stage, stageQueue) -> {
          if (stageQueue.gate.isClosed()) {
            observer.atWork(
                "stage " + stage.name().toLowerCase(Locale.ROOT),
                "",
                stageQueue.moves,
                () -> "a simulated task");
          }
        });
  }

  /**
   * Sets whether submitted tasks run before {@link #submit} returns, if their stage is free: the
   * threads of a stage may be that fast, and the one that submits that slow.
   */
  public synchronized void runOnSubmit(boolean enabled) {
    prompt = enabled;
  }

  /** What tasks threw, in order. */
  public synchronized List<Throwable> failures() {
    return List.copyOf(failures);
  }

  /** Is told of each task's stage before the task runs. */
  synchronized void observe(Consumer<Stage> newObserver) {
    observer = newObserver;
  }

  /** Refuses new tasks and forgets the queued ones, as a process that is killed. */
  public synchronized void shutDown() {
    shutDown = true;
  }

  /** Runs all that is due now, and what that queues, without letting time pass. */
  public void runUntilIdle() {
    queue.runDue();
  }

  /**
   * Runs due tasks until {@code condition} holds; time passes only as far as the next timer needs.
   */
  public void runUntil(BooleanSupplier condition, Duration limit) {
    long end = nowNanos() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (!step() && !queue.moveToNext(end)) {
        throw new AssertionError("nothing left to run within " + limit + ", and still not so");
      }
    }
  }

  /** Lets {@code duration} pass and runs all that becomes due in it, in order. */
  public void advance(Duration duration) {
    queue.pass(duration);
    queue.runDue();
  }

  /**
   * Lets {@code duration} pass inside a task (or a call from outside), as when it waits for a slow
   * disk: tasks of other stages run meanwhile, those of the stages that are at work do not.
   */
  public void stall(Duration duration) {
    queue.pass(duration);
    moved(current);
  }

  private synchronized void moved(@Nullable Stage stage) {
    if (stage != null) {
      StageQueue stageQueue = of(stage);
      stageQueue.moves++;
      stageQueue.movedNanos = nowNanos();
    }
  }

  /** Runs one task that is due now; false if there is none. */
  public boolean step() {
    return queue.step();
  }

  private long nowNanos() {
    return queue.time().nanos();
  }

  private synchronized @Nullable Consumer<Stage> begin(Task task) {
    StageQueue stageQueue = of(task.stage);
    if (task.submitted) {
      stageQueue.pending--;
    }
    return shutDown ? null : observer;
  }

  private synchronized void finish(Task task, @Nullable Throwable thrown) {
    StageQueue stageQueue = of(task.stage);
    stageQueue.completed++;
    // A process that was ended in the middle of a task is no bug.
    if (thrown != null && !shutDown) {
      stageQueue.failed++;
      failures.add(thrown);
    }
    if (task.periodNanos > 0 && !task.cancelled && !shutDown) {
      // Runs that were missed meanwhile are not made up for.
      task.dueNanos = Math.max(task.dueNanos + task.periodNanos, nowNanos());
      queue.add(task);
    }
  }

  private StageQueue of(Stage stage) {
    return Objects.requireNonNull(stageQueues.get(stage));
  }

  /** One stage: its gate is closed while it is at work. */
  private static final class StageQueue {
    private final Gate gate;
    private int pending;
    private long completed;
    private long rejected;
    private long failed;
    private long lastNanos;

    /** How often a task began or came back from the disk, and when last. */
    private long moves;

    private long movedNanos;

    StageQueue(Gate gate) {
      this.gate = gate;
    }

    /** When the next task begins if nothing holds it up. */
    long begin(SimScheduler scheduler) {
      RandomSource delays = scheduler.delays;
      long delay = delays == null ? 0 : delays.nextInt(scheduler.maxDelayNanos);
      lastNanos = Math.max(lastNanos, scheduler.nowNanos() + delay);
      return lastNanos;
    }
  }

  /** A task and when it is due. */
  private final class Task extends Event {
    private final Stage stage;
    private final Runnable task;
    private final long periodNanos;
    private final boolean submitted;

    Task(long dueNanos, Stage stage, Runnable task, long periodNanos, boolean submitted) {
      super(dueNanos, of(stage).gate);
      this.stage = stage;
      this.task = task;
      this.periodNanos = periodNanos;
      this.submitted = submitted;
    }

    @Override
    void run() {
      Consumer<Stage> told = begin(this);
      if (told == null) {
        return;
      }
      Throwable thrown = null;
      moved(stage);
      queue.close(of(stage).gate);
      try {
        told.accept(stage);
        within(stage, task);
      } catch (Throwable failure) {
        thrown = failure;
      } finally {
        queue.open(of(stage).gate);
      }
      finish(this, thrown);
    }
  }
}

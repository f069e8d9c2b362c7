package dev.colonnade.server.sim;

import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.env.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * All stages as one event queue on virtual time, ordered by (time, sequence). Tasks run on the
 * thread that calls {@link #runUntilIdle}, {@link #advance} or {@link #step}, one at a time;
 * nothing runs by itself.
 *
 * <p>What a task throws is counted and kept for {@link #failures}; the queue goes on, as in
 * production.
 */
public final class SimScheduler implements Scheduler {
  private final SimClock clock;
  private final PriorityQueue<Event> queue =
      new PriorityQueue<>(
          Comparator.comparingLong((Event event) -> event.dueNanos)
              .thenComparingLong(event -> event.sequence));
  private final Map<Stage, Figures> figures = new EnumMap<>(Stage.class);
  private final List<Throwable> failures = new ArrayList<>();
  private final int queuePlaces;
  private long sequence;
  private boolean shutDown;

  /** A scheduler whose stages each hold any number of tasks that a test will queue. */
  public SimScheduler(SimClock clock) {
    this(clock, 1_000_000);
  }

  /** A scheduler whose stages each hold {@code queuePlaces} tasks that are due. */
  public SimScheduler(SimClock clock, int queuePlaces) {
    this.clock = clock;
    this.queuePlaces = queuePlaces;
    for (Stage stage : Stage.values()) {
      figures.put(stage, new Figures());
    }
  }

  @Override
  public synchronized boolean submit(Stage stage, Runnable task) {
    Figures stageFigures = of(stage);
    if (shutDown || stageFigures.pending >= queuePlaces) {
      stageFigures.rejected++;
      return false;
    }
    stageFigures.pending++;
    queue.add(new Event(clock.monotonicNanos(), stage, task, 0, true));
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
    Event event =
        new Event(clock.monotonicNanos() + delay.toNanos(), stage, task, periodNanos, false);
    if (!shutDown) {
      queue.add(event);
    }
    return () -> event.cancelled = true;
  }

  @Override
  public synchronized List<StageFigures> figures() {
    List<StageFigures> result = new ArrayList<>();
    figures.forEach(
        (stage, f) ->
            result.add(
                new StageFigures(stage, f.active, f.pending, f.completed, f.rejected, f.failed)));
    return List.copyOf(result);
  }

  /** What tasks threw, in order. */
  public synchronized List<Throwable> failures() {
    return List.copyOf(failures);
  }

  /** Refuses new tasks and forgets the queued ones, as a process that is killed. */
  public synchronized void shutDown() {
    shutDown = true;
    queue.clear();
  }

  /** Runs all that is due now, and what that queues, without letting time pass. */
  public void runUntilIdle() {
    while (step()) {}
  }

  /**
   * Runs due tasks until {@code condition} holds; time passes only as far as the next timer needs.
   */
  public void runUntil(BooleanSupplier condition, Duration limit) {
    long end = clock.monotonicNanos() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (!step() && !moveToNext(end)) {
        throw new AssertionError("nothing left to run within " + limit + ", and still not so");
      }
    }
  }

  /** Lets {@code duration} pass and runs all that becomes due in it, in order. */
  public void advance(Duration duration) {
    long end = clock.monotonicNanos() + duration.toNanos();
    do {
      runUntilIdle();
    } while (moveToNext(end));
    clock.moveTo(end);
    runUntilIdle();
  }

  /**
   * Lets {@code duration} pass inside a task (or a call from outside), as when it waits for a slow
   * disk: tasks of other stages run meanwhile, those of the stages that are at work do not.
   */
  public void stall(Duration duration) {
    long end = clock.monotonicNanos() + duration.toNanos();
    do {
      runUntilIdle();
    } while (moveToNext(end));
    clock.moveTo(end);
  }

  /** Runs one task that is due now; false if there is none. */
  public boolean step() {
    Event event = nextDue();
    while (event != null && event.cancelled) {
      forget(event);
      event = nextDue();
    }
    if (event == null) {
      return false;
    }
    run(event);
    return true;
  }

  private synchronized boolean moveToNext(long endNanos) {
    Event next = earliest();
    if (next == null || next.dueNanos > endNanos) {
      return false;
    }
    clock.moveTo(next.dueNanos);
    return true;
  }

  /** The first event whose stage is free. */
  private @Nullable Event earliest() {
    Event first = queue.peek();
    if (first == null || of(first.stage).active == 0) {
      return first;
    }
    List<Event> held = new ArrayList<>();
    while (first != null && of(first.stage).active > 0) {
      held.add(queue.remove());
      first = queue.peek();
    }
    queue.addAll(held);
    return first;
  }

  private synchronized @Nullable Event nextDue() {
    Event next = earliest();
    if (next == null || next.dueNanos > clock.monotonicNanos()) {
      return null;
    }
    queue.remove(next);
    Figures stageFigures = of(next.stage);
    if (next.submitted) {
      stageFigures.pending--;
    }
    stageFigures.active++;
    return next;
  }

  private synchronized void forget(Event event) {
    of(event.stage).active--;
  }

  private void run(Event event) {
    boolean failed = false;
    try {
      event.task.run();
    } catch (Throwable thrown) {
      failed = true;
      keep(thrown);
    }
    finish(event, failed);
  }

  private synchronized void keep(Throwable thrown) {
    failures.add(thrown);
  }

  private synchronized void finish(Event event, boolean failed) {
    Figures stageFigures = of(event.stage);
    stageFigures.active--;
    stageFigures.completed++;
    stageFigures.failed += failed ? 1 : 0;
    if (event.periodNanos > 0 && !event.cancelled && !shutDown) {
      event.dueNanos += event.periodNanos;
      event.sequence = sequence++;
      queue.add(event);
    }
  }

  private Figures of(Stage stage) {
    return Objects.requireNonNull(figures.get(stage));
  }

  /** Counts of one stage. */
  private static final class Figures {
    private int active;
    private int pending;
    private long completed;
    private long rejected;
    private long failed;
  }

  /** A task and when it is due. */
  private final class Event {
    private long dueNanos;
    private long sequence;
    private final Stage stage;
    private final Runnable task;
    private final long periodNanos;
    private final boolean submitted;
    private volatile boolean cancelled;

    Event(long dueNanos, Stage stage, Runnable task, long periodNanos, boolean submitted) {
      this.dueNanos = dueNanos;
      this.sequence = SimScheduler.this.sequence++;
      this.stage = stage;
      this.task = task;
      this.periodNanos = periodNanos;
      this.submitted = submitted;
    }
  }
}

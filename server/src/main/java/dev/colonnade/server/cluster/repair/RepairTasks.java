package dev.colonnade.server.cluster.repair;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.cluster.ring.Topology;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The repairs that this node is to make when other nodes are up again. They are stored, and so
 * survive a restart.
 *
 * <ul>
 *   <li>One is carried out at a time, the longest waiting first; what an operator repairs goes
 *       before it. After a failure a task waits, twice as long each time.
 *   <li>Their number is bounded; ranges that touch count once.
 *   <li>A task is forgotten when its family was dropped or its node is no member any more.
 *   <li>None is begun while the ring changes.
 * </ul>
 *
 * <p>Thread-safe; nothing here blocks.
 */
public final class RepairTasks {

  private static final Logger LOG = LoggerFactory.getLogger(RepairTasks.class);

  /** Ranges of all tasks: enough for some families whose ranges lie anywhere on the ring. */
  static final int RANGES_MAX = 256;

  /** Of all tokens, which are long only where keys are tokens. */
  static final long TOKEN_BYTES_MAX = 1 << 20;

  /** How often nodes are looked for that are up again. */
  private static final Duration LOOK_PERIOD = Duration.ofSeconds(5);

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(10);

  /** The longest pause is about eleven minutes: a node that cannot be repaired is asked seldom. */
  private static final int PAUSE_DOUBLINGS_MAX = 6;

  /** Makes repairs. */
  public interface Repairer {
    /** The ring as the node sees it. */
    Topology topology();

    /** What can be repaired. */
    Schema schema();

    /** Carries a task out; never throws. */
    CompletableFuture<RepairProgress> carryOut(RepairTask task);
  }

  /** Keeps tasks on the disk. */
  public interface Storage {
    /** What an earlier run saved. */
    List<RepairTask> saved();

    /**
     * Saves a task instead of any other one with its family and node; one without ranges deletes
     * it.
     *
     * @return completes when that is durable
     */
    CompletableFuture<Void> save(RepairTask task);
  }

  /**
   * A task that waits or is being carried out.
   *
   * @param failures in a row
   * @param dueNanos when it may be tried again
   */
  private record Waiting(RepairTask task, int failures, long dueNanos) {}

  private final Repairer repairs;
  private final Storage storage;
  private final Predicate<String> hasLeft;
  private final Clock clock;
  private final Scheduler scheduler;
  private final Map<RepairTask.Subject, Waiting> tasks = new LinkedHashMap<>();
  private boolean atWork;
  private boolean stopped;
  private Scheduler.@Nullable Cancellable timer;

  /**
   * Creates them with what an earlier run saved; nothing is done until {@link #start}.
   *
   * @param hasLeft whether a node of that id left the cluster, was removed or replaced
   */
  public RepairTasks(
      Repairer repairs,
      Storage storage,
      Predicate<String> hasLeft,
      Clock clock,
      Scheduler scheduler) {
    this.repairs = repairs;
    this.storage = storage;
    this.hasLeft = hasLeft;
    this.clock = clock;
    this.scheduler = scheduler;
    storage.saved().forEach(task -> put(task, 0, Duration.ZERO));
  }

  /** Begins to carry tasks out; for a node that gossips. */
  public synchronized void start() {
    if (!stopped) {
      timer = scheduler.every(LOOK_PERIOD, Stage.COMPACTION, this::look);
    }
  }

  /** Begins no further one. The one under way ends with the streams. */
  public synchronized void stop() {
    stopped = true;
    if (timer != null) {
      timer.cancel();
    }
  }

  /** How many ranges are to be repaired; those of one family and node that touch count once. */
  public synchronized int pending() {
    return tasks.values().stream().mapToInt(each -> each.task().ranges().size()).sum();
  }

  /**
   * Adds a task.
   *
   * @return completes when it is durable: with false, and without it, if there are too many
   */
  public CompletableFuture<Boolean> add(RepairTask added) {
    CompletableFuture<Void> saved;
    synchronized (this) {
      Waiting before = tasks.get(added.subject());
      RepairTask task = before == null ? added : before.task().with(added);
      long ranges = task.ranges().size();
      long bytes = task.tokenBytes();
      for (Waiting other : tasks.values()) {
        if (!other.task().subject().equals(task.subject())) {
          ranges += other.task().ranges().size();
          bytes += other.task().tokenBytes();
        }
      }
      if (ranges > RANGES_MAX || bytes > TOKEN_BYTES_MAX) {
        LOG.warn("{} has to be made by hand: too many wait already", text(added));
        return CompletableFuture.completedFuture(false);
      }
      put(task, 0, Duration.ZERO);
      // In the order of the changes.
      saved = storage.save(task);
    }
    LOG.info("{} will be made when that is up", text(added));
    return saved.thenApply(durable -> true);
  }

  private void put(RepairTask task, int failures, Duration pause) {
    // Last, so that the others have their turn first.
    tasks.remove(task.subject());
    tasks.put(
        task.subject(), new Waiting(task, failures, clock.monotonicNanos() + pause.toNanos()));
  }

  private String text(RepairTask task) {
    return "the repair of "
        + repairs
            .schema()
            .family(task.family())
            .map(ColumnFamily::qualifiedName)
            .orElseGet(() -> "family " + task.family())
        + " with node "
        + task.nodeId();
  }

  private void look() {
    Topology now = repairs.topology();
    boolean serves =
        now.place(now.self().id())
            .filter(own -> own.state() == Topology.RingState.NORMAL)
            .isPresent();
    if (!serves || now.isChanging()) {
      return;
    }
    RepairTask task;
    synchronized (this) {
      if (atWork || stopped) {
        return;
      }
      List.copyOf(tasks.values()).forEach(each -> forgetIfGone(each.task()));
      task = due(now);
      if (task == null) {
        return;
      }
      atWork = true;
    }
    RepairTask begun = task;
    Then.whenDone(repairs.carryOut(begun), (progress, failure) -> ended(begun, progress, failure));
  }

  private void forgetIfGone(RepairTask task) {
    if (repairs.schema().family(task.family()).isEmpty()) {
      LOG.info("{} is not needed any more: the family was dropped", text(task));
      forget(task);
    } else if (hasLeft.test(task.nodeId())) {
      LOG.info("{} is not needed any more: the node has left the cluster", text(task));
      forget(task);
    }
  }

  private void forget(RepairTask task) {
    tasks.remove(task.subject());
    Then.whenDone(
        storage.save(task.done()),
        (saved, failure) -> {
          if (failure != null) {
            LOG.warn(
                "{} is done, which could not be saved: it is done again after a restart: {}",
                text(task),
                failure.getMessage());
          }
        });
  }

  private @Nullable RepairTask due(Topology now) {
    for (Waiting each : tasks.values()) {
      boolean isDue = each.dueNanos() - clock.monotonicNanos() <= 0;
      if (isDue && now.takesWrites(each.task().nodeId())) {
        return each.task();
      }
    }
    return null;
  }

  private synchronized void ended(
      RepairTask task, @Nullable RepairProgress progress, @Nullable Throwable failure) {
    atWork = false;
    Waiting waiting = tasks.get(task.subject());
    if (waiting == null) {
      return;
    }
    if (progress == null || progress.skippedReplicas() > 0) {
      int failures = waiting.failures() + 1;
      Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(failures - 1, PAUSE_DOUBLINGS_MAX));
      put(waiting.task(), failures, pause);
      LOG.info(
          "{} is not done yet, the next attempt is in {} s: {}",
          text(task),
          pause.toSeconds(),
          failure == null ? "the node went down" : Errors.unwrap(failure).getMessage());
      return;
    }
    if (progress.total() == 0) {
      LOG.warn(
          "{} has to be made elsewhere: this node has no copy of its ranges any more", text(task));
    } else {
      LOG.info("{} is done: {} rows were sent", text(task), progress.movedRows());
    }
    if (waiting.task().equals(task)) {
      forget(task);
    } else {
      // More was added meanwhile.
      put(waiting.task(), 0, Duration.ZERO);
    }
  }
}

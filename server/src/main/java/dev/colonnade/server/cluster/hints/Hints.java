package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Throttle;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Impact;
import dev.colonnade.server.base.health.RepeatedFailures;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.MutationCodec;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hinted handoff: keeps writes that other nodes missed while they were away, and delivers them when
 * these return.
 *
 * <ul>
 *   <li>A kept hint is durable within the sync period, or at once if a write's acknowledgement
 *       depends on it.
 *   <li>A hint is delivered at least once; delivering it twice does no harm.
 *   <li>Room in memory, on disk, and for each node is bounded; beyond it hints are refused.
 * </ul>
 *
 * <p>Thread-safe; nothing here blocks but {@link #open}. Futures complete on {@code Stage.HINTS} or
 * on the caller's thread.
 */
public final class Hints {
  private static final Logger LOG = LoggerFactory.getLogger(Hints.class);

  private final Environment environment;
  private final HintSettings settings;
  private final HintContext context;
  private final HintCounters counters;
  private final HintStore store;
  private final HintWriter writer;
  private final HintDispatcher dispatcher;
  private final Throttle pace;
  private final List<Scheduler.Cancellable> timers = new ArrayList<>();

  /** Null before the start. Guarded by this, as is whether it was stopped. */
  private Scheduler.@Nullable Cancellable scans;

  private boolean stopped;

  private Hints(
      Environment environment,
      HintSettings settings,
      HintSender sender,
      HintContext context,
      HintCounters counters,
      HintStore store,
      Health health) {
    this.environment = environment;
    this.settings = settings;
    this.context = context;
    this.counters = counters;
    this.store = store;
    this.pace = new Throttle(settings.bytesPerSecond());
    this.writer = new HintWriter(environment, settings, store, counters);
    DispatchContext parts =
        new DispatchContext(
            environment.clock(),
            environment.scheduler(),
            settings,
            sender,
            context,
            counters,
            pace,
            new RepeatedFailures(health, Condition.HINTS, Impact.NONE, Impact.NOTICE));
    this.dispatcher = new HintDispatcher(parts, store);
  }

  /**
   * Opens what an earlier run kept. Blocks.
   *
   * @param health is told of hints that cannot be delivered
   * @throws dev.colonnade.server.base.codec.UnreadableFileException if a file is of another
   *     release. Damaged segments are set aside instead.
   */
  public static Hints open(
      Environment environment,
      HintSettings settings,
      HintSender sender,
      HintContext context,
      Health health)
      throws IOException {
    HintCounters counters = new HintCounters();
    HintStore store = HintStore.open(environment.files(), counters);
    return new Hints(environment, settings, sender, context, counters, store, health);
  }

  /** Starts the timers: syncs, and the redelivery scan. {@link #alive} starts dispatches, too. */
  public void start() {
    Scheduler scheduler = environment.scheduler();
    timers.add(scheduler.every(settings.syncPeriod(), Stage.HINTS, writer::syncAll));
    redeliveryInterval(settings.redeliveryInterval());
  }

  /** Changes how much time passes between two redelivery scans; the next one is so long away. */
  public synchronized void redeliveryInterval(Duration interval) {
    if (stopped) {
      return;
    }
    if (scans != null) {
      scans.cancel();
    }
    scans = environment.scheduler().every(interval, Stage.HINTS, dispatcher::considerAll);
  }

  /** Whether dispatches wait for their share of the pace. */
  boolean waitForPace() {
    return pace.isAhead(environment.clock().monotonicNanos());
  }

  /** Changes the pace of all dispatches together; 0 for no limit. */
  public void bytesPerSecond(long changed) {
    pace.bytesPerSecond(changed);
  }

  private synchronized void stopScans() {
    stopped = true;
    if (scans != null) {
      scans.cancel();
    }
  }

  /**
   * Whether a hint may count towards consistency level ANY. Not in a family without gc grace: there
   * hints are too old to be delivered as soon as they are kept.
   */
  public boolean mayBack(Mutation mutation) {
    return mutation.updates().stream()
        .allMatch(part -> context.gcGraceSeconds(part.family()).orElse(1) > 0);
  }

  /**
   * Keeps a write for a node.
   *
   * @param targetId the node that misses it
   * @param syncBefore true for a hint that an acknowledgement depends on: it is kept however long
   *     its target is away
   * @return completes when the operating system has the hint, which is durable within the sync
   *     period; or, with {@code syncBefore}, when it is durable. Fails with {@link
   *     HintRefusedException}.
   */
  public CompletableFuture<Void> keep(String targetId, Mutation mutation, boolean syncBefore) {
    ByteWriter out = new ByteWriter(256);
    MutationCodec.writeStamped(mutation, out);
    return keep(targetId, out.toByteArray(), syncBefore);
  }

  /**
   * As {@link #keep(String, Mutation, boolean)}.
   *
   * @param encoded the mutation as {@link MutationCodec#writeStamped} writes it; not to be changed
   *     afterwards
   */
  public CompletableFuture<Void> keep(String targetId, byte[] encoded, boolean syncBefore) {
    requireNodeId(targetId);
    return writer.add(targetId, encoded, syncBefore);
  }

  /** The id becomes the name of a directory. */
  private static void requireNodeId(String targetId) {
    if (targetId.isEmpty() || targetId.indexOf('/') >= 0) {
      throw new IllegalArgumentException("not the id of a node: '" + targetId + "'");
    }
    FileSystem.requireValidPath(HintFormat.directory(targetId));
  }

  /** A node is up, again or for the first time: its hints are delivered. */
  public void alive(String nodeId) {
    onStage("the return of node " + nodeId, () -> dispatcher.consider(nodeId));
  }

  /** A node is down: its hints wait. */
  public void dead(String nodeId) {
    onStage("the loss of node " + nodeId, () -> dispatcher.cancel(nodeId, "the node is down"));
  }

  /** A node left the cluster for good: its hints go to the rows' owners. */
  public void removed(String nodeId) {
    onStage(
        "the removal of node " + nodeId,
        () -> {
          dispatcher.cancel(nodeId, "the node left the cluster");
          dispatcher.consider(nodeId);
        });
  }

  /** Delivers at once whatever can be delivered, like the periodic scan. */
  public void redeliveryScan() {
    onStage("a redelivery scan of hints", dispatcher::considerAll);
  }

  /** Ends all dispatches, and begins none until {@link #resume}. */
  public void pause() {
    onStage("the pause of hints", dispatcher::pause);
  }

  /** Resumes dispatches. */
  public void resume() {
    onStage("the end of the pause of hints", dispatcher::resume);
  }

  private void onStage(String what, Runnable task) {
    if (!environment.scheduler().submit(Stage.HINTS, task)) {
      LOG.warn("the stage of hints is full: {} will be noticed at the next redelivery scan", what);
    }
  }

  /** Figures for each node with hints, in the order of their ids. */
  public List<HintFigures> figures() {
    return store.all().stream().map(HintsForNode::figures).toList();
  }

  /** Counts since the start. */
  public HintTotals totals() {
    return counters.totals(writer.bytes());
  }

  /** Accepts no more hints, ends dispatches, and makes all that was kept durable. */
  public CompletableFuture<Void> stop() {
    writer.stop();
    timers.forEach(Scheduler.Cancellable::cancel);
    stopScans();
    return inStage(
        result -> {
          dispatcher.stop();
          writer.close();
          result.complete(null);
        });
  }

  /** A task that completes a future, or fails it. */
  private interface HintStep {
    void run(CompletableFuture<Void> result) throws IOException;
  }

  private CompletableFuture<Void> inStage(HintStep step) {
    CompletableFuture<Void> result = new CompletableFuture<>();
    Consumer<Throwable> failed = result::completeExceptionally;
    boolean taken =
        environment
            .scheduler()
            .submit(
                Stage.HINTS,
                () -> {
                  try {
                    step.run(result);
                  } catch (IOException | RuntimeException | Error e) {
                    failed.accept(Errors.escalate(e));
                  }
                });
    if (!taken) {
      failed.accept(new HintRefusedException("any", "the stage of hints is full or stopped"));
    }
    return result;
  }
}

package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.HostPaths;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.env.Watched;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.storage.commitlog.AppendedGroup;
import dev.colonnade.server.storage.commitlog.CommitLog;
import dev.colonnade.server.storage.commitlog.LogRefusedException;
import dev.colonnade.server.storage.engine.WriteQueue.Order;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.MutationTooLargeException;
import dev.colonnade.server.storage.mutation.OverloadedException;
import dev.colonnade.server.storage.mutation.StoreStoppedException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts mutations in one order, and in that order into the commit log and the memtables.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>One thread at a time drains the queue, so a memtable has one writer.
 *   <li>Everything in a memtable stands at or below the log position that was reached when the
 *       memtable was switched.
 *   <li>A mutation is acknowledged after it is in the log as the mode promises and visible to
 *       readers.
 *   <li>A write or sync of the log that fails is final: the queue is refused from then on, because
 *       the contents of the file are unknown.
 *   <li>While memtables have no room, writes wait in the queue, for a limited time ({@link
 *       RoomWait}). Flushes on demand and truncations pass them.
 *   <li>A small write waits for one turn of large ones at most, and for one share of each other
 *       column family, not for all that came before it; see {@link SizeClassQueue}.
 *   <li>A large write that needs a segment of the log which is being made waits for it in the
 *       queue, and small ones pass it.
 * </ul>
 *
 * <p>Threads: in periodic mode the write stage drains the queue. Its writes go to the page cache,
 * which takes microseconds unless the disk hangs or the operating system throttles writers; then
 * only this one thread waits, no event loop does, and the node goes on answering everything else. A
 * caller on a stage that may wait for the disk, and that finds the pipeline idle, drains it itself,
 * for a few turns and while little is queued. The log stage does what always has to wait: the next
 * segment of the log is not ready, or a write found no room and must be undone. The queue grows up
 * to its bound meanwhile. In batch mode the log stage does everything, because it syncs before it
 * applies and acknowledges.
 *
 * <p>Thread-safe.
 */
final class WritePipeline {

  private static final Logger LOG = LoggerFactory.getLogger(WritePipeline.class);

  /** After this many turns a draining caller hands over and returns to its own work. */
  private static final int CALLER_TURNS = 8;

  /**
   * A caller that finds more than this in the queue hands over at once: encoding and applying it
   * would take about a millisecond, and the caller has work of its own.
   */
  private static final long CALLER_BYTES = 128 << 10;

  /** After this many turns a stage lets its other tasks go first. */
  private static final int STAGE_TURNS = 64;

  private final CommitLog log;
  private final MutationApplier target;
  private final Scheduler scheduler;
  private final NextSegment nextSegment;
  private final RoomWait room;
  private final Clock clock;
  private final boolean syncBeforeAck;
  private final WriteQueue queue;
  private final AtomicBoolean draining = new AtomicBoolean();

  /** How many actions came that need not wait behind writes that wait for room. */
  private final AtomicLong passing = new AtomicLong();

  /** How many turns there have been, for the watchdog. */
  private final AtomicLong turns = new AtomicLong();

  /** Taken from the queue, but not written yet. Belongs to the draining thread. */
  private @Nullable WriteGroup held;

  private volatile @Nullable String stopped;

  /** Set by the draining thread. */
  private volatile boolean logFailed;

  private volatile LogPosition reached;

  /**
   * Creates an idle pipeline.
   *
   * @param prepareLog makes the log's next segment, on the log stage; handles its own failures
   * @param syncBeforeAck batch mode
   * @param queueBytesMax when this many bytes of records wait, further ones are refused
   */
  WritePipeline(
      CommitLog log,
      MutationApplier target,
      Scheduler scheduler,
      Runnable prepareLog,
      Clock clock,
      boolean syncBeforeAck,
      long queueBytesMax,
      LogPosition start) {
    this.log = log;
    this.target = target;
    this.scheduler = scheduler;
    this.nextSegment = new NextSegment(log, scheduler, prepareLog, this::drainIfIdle);
    this.room = new RoomWait(target, scheduler, this::goOn);
    this.syncBeforeAck = syncBeforeAck;
    this.clock = clock;
    this.queue = new WriteQueue(queueBytesMax, CALLER_BYTES);
    this.reached = start;
  }

  /**
   * Queues a mutation; the future completes when it is in the log as the mode promises and visible
   * to readers.
   *
   * @param durable false writes to memory only
   * @param untilNanos how long it may wait for room, by the monotonic clock
   * @param trace of the call; null if it is not traced
   */
  CompletableFuture<Void> submit(
      Mutation mutation, boolean durable, long untilNanos, @Nullable StoreTrace trace) {
    String reason = stopped;
    if (reason != null) {
      return CompletableFuture.failedFuture(new StoreStoppedException(reason));
    }
    long bytes = mutation.payloadBytes();
    if (durable && bytes > log.maxRecordBytes()) {
      return CompletableFuture.failedFuture(
          new MutationTooLargeException(bytes, log.maxRecordBytes()));
    }
    CompletableFuture<Void> done = new CompletableFuture<>();
    if (!queue.add(new WriteQueue.Write(mutation, durable, bytes, untilNanos, done, trace))) {
      return CompletableFuture.failedFuture(
          room.isWaiting()
              ? ColumnFamilyStores.noRoom()
              : new OverloadedException("the queue of the commit log"));
    }
    drainIfIdle();
    return done;
  }

  /**
   * Runs an action in order with the mutations: everything submitted before it is applied, nothing
   * after it is. The action gets the log position reached, must be short, and must not wait for the
   * disk.
   */
  CompletableFuture<Void> run(Consumer<LogPosition> action) {
    return queue(action, Order.BEHIND_WRITES);
  }

  /**
   * As {@link #run}, except that writes which wait for room may stay behind the action: it is done
   * at once.
   */
  CompletableFuture<Void> runBeforeWaiting(Consumer<LogPosition> action) {
    return queue(action, Order.BEFORE_WAITING_WRITES);
  }

  /** As {@link #run}, on the log stage, where the action may wait for the disk. */
  CompletableFuture<Void> runBlocking(Consumer<LogPosition> action) {
    return queue(action, Order.BEHIND_WRITES_BLOCKING);
  }

  private CompletableFuture<Void> queue(Consumer<LogPosition> action, Order order) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    queue.add(new WriteQueue.Action(action, order, done));
    if (order == Order.BEFORE_WAITING_WRITES) {
      passing.incrementAndGet();
      room.lookAgain();
    }
    drainIfIdle();
    return done;
  }

  /** Refuses new writes and actions; those in the queue are still done. */
  void stop(String reason) {
    if (stopped == null) {
      stopped = reason;
    }
  }

  /**
   * To be called by an action that declares everything in the log obsolete. Not allowed after an
   * append failed, which may have left records beyond {@link #reached} that a replay would find.
   *
   * @throws StoreStoppedException if the log failed
   */
  void requireSoundLog() {
    String reason = stopped;
    if (logFailed && reason != null) {
      throw new StoreStoppedException(reason);
    }
  }

  /** Returns the log position up to which everything is applied. */
  LogPosition reached() {
    return reached;
  }

  /** Returns the bytes of waiting records. */
  long queuedBytes() {
    return queue.bytes();
  }

  /** How many writes found no room in the queue. */
  long refusedWrites() {
    return queue.refused();
  }

  /** Reports its progress while it works; while it waits for room, the flushes report theirs. */
  void report(Watched.Observer observer) {
    if (draining.get() && !room.isWaiting()) {
      observer.atWork(
          "write pipeline",
          "",
          turns.get(),
          () -> "writes of " + queue.bytes() + " bytes wait behind " + reached);
    }
  }

  /** Asks again for the log's next segment if that failed; to be called now and then. */
  void lookAfterLog() {
    nextSegment.lookAgain();
  }

  RoomWait room() {
    return room;
  }

  private void drainIfIdle() {
    if (!draining.compareAndSet(false, true)) {
      return;
    }
    if (!callerMayDrain() && handOver(syncBeforeAck ? Stage.LOG : Stage.WRITE)) {
      return;
    }
    drain(CALLER_TURNS);
  }

  private boolean callerMayDrain() {
    Stage caller = scheduler.current();
    return !syncBeforeAck && caller != null && caller.mayBlock() && queue.bytes() <= CALLER_BYTES;
  }

  /**
   * Hands draining over to a stage. The caller must own {@link #draining} and gives it away.
   *
   * @return false if the stage accepts nothing, usually because the node stops; the caller must go
   *     on draining then, because nothing else would
   */
  private boolean handOver(Stage stage) {
    try {
      return scheduler.submit(stage, () -> drain(STAGE_TURNS));
    } catch (RuntimeException | Error e) {
      Errors.report("could not hand over the queue of writes; this thread goes on with it", e);
      return false;
    }
  }

  /**
   * Drains the queue. The caller must own {@link #draining}; this releases it when the queue is
   * empty, or hands it on.
   */
  private void drain(int turnsMax) {
    boolean mayBlock = scheduler.current() == Stage.LOG;
    int turns = 0;
    while (true) {
      boolean heldBack = false;
      while (hasMore()) {
        if (held == null && queue.hasWrites() && waitsForRoom()) {
          return;
        }
        if (held == null && holdsBackLarge(mayBlock)) {
          heldBack = true;
          break;
        }
        boolean isOver = turns++ >= turnsMax || (turnsMax == CALLER_TURNS && queue.isLargeNext());
        if (isOver && handOver(syncBeforeAck ? Stage.LOG : Stage.WRITE)) {
          return;
        }
        if (!turn(mayBlock)) {
          if (handOver(Stage.LOG)) {
            return;
          }
          mayBlock = true;
        } else if (mayBlock && !syncBeforeAck) {
          // The log stage has syncs to make.
          turns = turnsMax;
        }
      }
      draining.set(false);
      // A caller that queued something just now saw the pipeline busy and left it to this thread,
      // and so did the log stage if it has just made the next segment.
      boolean hasMore = queue.hasNew() || (heldBack && !nextSegment.isComing());
      if (!hasMore || !draining.compareAndSet(false, true)) {
        return;
      }
    }
  }

  private boolean hasMore() {
    return queue.hasMore() || held != null;
  }

  /**
   * Leaves large writes in the queue while they would need the next segment of the log, which waits
   * for a sync of what came before. Small ones go on in what is left of the current segment.
   * Without this a client that writes faster than the disk syncs makes all writes wait for each
   * sync.
   *
   * @return whether there is nothing but large writes to do; the log stage makes draining go on
   */
  private boolean holdsBackLarge(boolean mayBlock) {
    long bytes = queue.nextLargeBytes();
    return queue.holdBackLarge(
        bytes > 0 && !mayBlock && nextSegment.isComing() && !log.hasRoomFor(bytes));
  }

  /** Whether the writes wait for room; the queue does no longer belong to this thread then. */
  private boolean waitsForRoom() {
    while (room.isShort(reached)) {
      long seen = passing.get();
      refuseForRoom(queue.takeOverdue(clock.monotonicNanos()));
      letActionsPass();
      if (!queue.hasWrites()) {
        return false;
      }
      // An action that came meanwhile found no wait that it could have ended.
      if (room.begin() && (passing.get() == seen || !room.end())) {
        return true;
      }
    }
    return false;
  }

  /** Performs the actions that need not wait behind writes that wait for room. */
  private void letActionsPass() {
    WriteQueue.Action action = queue.nextAction();
    while (action != null && action.order() == Order.BEFORE_WAITING_WRITES) {
      queue.removeAction();
      perform(action, reached);
      queue.hasMore();
      action = queue.nextAction();
    }
  }

  /** Returns false if the next item has to wait for the disk, and this thread may not. */
  private boolean turn(boolean mayBlock) {
    turns.incrementAndGet();
    if (held == null && queue.hasWrites() && room.mustRefuse(reached)) {
      refuseForRoom(queue.take());
      return true;
    }
    if (held == null && queue.hasWrites()) {
      held = WriteGroup.of(queue.take(), target);
      if (held == null) {
        return true;
      }
    }
    WriteGroup group = held;
    WriteQueue.Action action = queue.nextAction();
    if (group != null) {
      if (!write(group, mayBlock)) {
        return false;
      }
      held = null;
      target.forgetPrepared();
      nextSegment.requestIfNeeded();
    } else if (action != null) {
      if (action.blocks() && !mayBlock) {
        return false;
      }
      queue.removeAction();
      perform(action, reached);
    }
    return true;
  }

  private void goOn() {
    if (!handOver(syncBeforeAck ? Stage.LOG : Stage.WRITE)) {
      drain(CALLER_TURNS);
    }
  }

  private static void refuseForRoom(List<WriteQueue.Write> refused) {
    for (WriteQueue.Write write : refused) {
      write.done().completeExceptionally(ColumnFamilyStores.noRoom());
    }
  }

  /** Returns false if that has to wait for the disk, and this thread may not. */
  private boolean write(WriteGroup group, boolean mayBlock) {
    LogPosition last = reached;
    try {
      if (!group.records().isEmpty()) {
        AppendedGroup appended = append(group, mayBlock);
        if (appended == null) {
          return false;
        }
        last = appended.last();
      }
    } catch (LogRefusedException e) {
      // Nothing of these writes is stored anywhere. The queue goes on.
      group.refuse(e);
      return true;
    } catch (IOException e) {
      fail(group, e);
      return true;
    } catch (RuntimeException e) {
      LOG.error("mutations could not be encoded for the commit log", e);
      group.refuse(e);
      return true;
    } catch (Error e) {
      // It is unknown how much reached the log, as after a failed write.
      Errors.escalate(e);
      fail(group, new IOException("writing to it ended with " + e, e));
      return true;
    }
    group.publish(target);
    group.reached(StoreTrace.StoreStep.APPLIED);
    // Set only now: a flush must not count records as its own that a failed sync left behind.
    reached = last;
    afterTurn();
    group.acknowledge();
    return true;
  }

  private @Nullable AppendedGroup append(WriteGroup group, boolean mayBlock) throws IOException {
    if (!mayBlock && syncBeforeAck) {
      return null;
    }
    AppendedGroup appended =
        mayBlock ? log.append(group.records()) : log.tryAppend(group.records());
    if (appended == null) {
      return null;
    }
    group.reached(StoreTrace.StoreStep.LOG_APPENDED);
    if (syncBeforeAck) {
      log.sync();
      group.reached(StoreTrace.StoreStep.LOG_SYNCED);
    }
    return appended;
  }

  /**
   * Catches everything: the draining thread must come back to release the queue, whatever flushing
   * throws.
   */
  private void afterTurn() {
    try {
      target.afterTurn(reached);
    } catch (RuntimeException | Error e) {
      Errors.report("could not check the memtables; the next writes will check them again", e);
    }
  }

  private void fail(WriteGroup group, IOException cause) {
    logFailed = true;
    stop(
        "the commit log failed ("
            + HostPaths.without(cause)
            + "); the node accepts no more writes until it is restarted on a working disk");
    try {
      target.logFailed(cause);
    } catch (RuntimeException | Error e) {
      Errors.report("could not report the failure of the commit log", e);
    }
    group.refuse(cause);
  }

  private static void perform(WriteQueue.Action action, LogPosition reached) {
    try {
      action.action().accept(reached);
      action.done().complete(null);
    } catch (RuntimeException | Error e) {
      action.done().completeExceptionally(Errors.escalate(e));
    }
  }
}

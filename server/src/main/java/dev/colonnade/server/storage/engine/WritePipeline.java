package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.env.HostPaths;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.env.Watched;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.storage.commitlog.AppendedGroup;
import dev.colonnade.server.storage.commitlog.CommitLog;
import dev.colonnade.server.storage.commitlog.LogRecord;
import dev.colonnade.server.storage.commitlog.LogRefusedException;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.MutationTooLargeException;
import dev.colonnade.server.storage.mutation.OverloadedException;
import dev.colonnade.server.storage.mutation.StoreStoppedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
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
 *       RoomWait}).
 *   <li>A small write waits for one turn of large ones at most, not for all that came before it;
 *       see {@link WriteLanes}.
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

  /** One item of the queue. */
  private sealed interface QueuedItem permits Write, QueuedAction {}

  private record Write(Mutation mutation, boolean durable, long bytes, CompletableFuture<Void> done)
      implements QueuedItem {}

  /** An action in order with the writes; {@code blocks} if it may wait for the disk. */
  private record QueuedAction(
      Consumer<LogPosition> action, boolean blocks, CompletableFuture<Void> done)
      implements QueuedItem {}

  /** A write whose preparation succeeded: nothing that it still needs can throw. */
  private record Ready(Write write, PreparedMutation prepared) {}

  /** Writes that go to the log together. */
  private record Group(List<Ready> writes, List<LogRecord> records) {}

  private final CommitLog log;
  private final MutationApplier target;
  private final Scheduler scheduler;
  private final NextSegment nextSegment;
  private final RoomWait room;
  private final boolean syncBeforeAck;
  private final long queueBytesMax;

  private final ConcurrentLinkedQueue<QueuedItem> queue = new ConcurrentLinkedQueue<>();
  private final AtomicLong queuedBytes = new AtomicLong();
  private final AtomicBoolean draining = new AtomicBoolean();

  /** How many turns there have been, for the watchdog. */
  private final AtomicLong turns = new AtomicLong();

  /** The writes at the head of the queue, up to the next action. Belongs to the draining thread. */
  private final WriteLanes<Write> lanes = new WriteLanes<>(Write::bytes, CALLER_BYTES);

  /** Taken from the lanes, but not written yet. Belongs to the draining thread. */
  private @Nullable Group held;

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
      boolean syncBeforeAck,
      long queueBytesMax,
      LogPosition start) {
    this.log = log;
    this.target = target;
    this.scheduler = scheduler;
    this.nextSegment = new NextSegment(log, scheduler, prepareLog);
    this.room = new RoomWait(target, scheduler, this::goOn);
    this.syncBeforeAck = syncBeforeAck;
    this.queueBytesMax = queueBytesMax;
    this.reached = start;
  }

  /**
   * Queues a mutation; the future completes when it is in the log as the mode promises and visible
   * to readers.
   *
   * @param durable false writes to memory only
   */
  CompletableFuture<Void> submit(Mutation mutation, boolean durable) {
    String reason = stopped;
    if (reason != null) {
      return CompletableFuture.failedFuture(new StoreStoppedException(reason));
    }
    long bytes = mutation.payloadBytes();
    if (durable && bytes > log.maxRecordBytes()) {
      return CompletableFuture.failedFuture(
          new MutationTooLargeException(bytes, log.maxRecordBytes()));
    }
    if (queuedBytes.addAndGet(bytes) > queueBytesMax) {
      queuedBytes.addAndGet(-bytes);
      return CompletableFuture.failedFuture(
          room.isWaiting()
              ? ColumnFamilyStores.noRoom()
              : new OverloadedException("the queue of the commit log"));
    }
    CompletableFuture<Void> done = new CompletableFuture<>();
    queue.add(new Write(mutation, durable, bytes, done));
    drainIfIdle();
    return done;
  }

  /**
   * Runs an action in order with the mutations: everything submitted before it is applied, nothing
   * after it is. The action gets the log position reached, must be short, and must not wait for the
   * disk.
   */
  CompletableFuture<Void> run(Consumer<LogPosition> action) {
    return queue(action, false);
  }

  /** As {@link #run}, on the log stage, where the action may wait for the disk. */
  CompletableFuture<Void> runBlocking(Consumer<LogPosition> action) {
    return queue(action, true);
  }

  private CompletableFuture<Void> queue(Consumer<LogPosition> action, boolean blocks) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    queue.add(new QueuedAction(action, blocks, done));
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
    return queuedBytes.get();
  }

  /** Reports its progress while it works; while it waits for room, the flushes report theirs. */
  void report(Watched.Observer observer) {
    if (draining.get() && !room.isWaiting()) {
      observer.atWork(
          "write pipeline",
          "",
          turns.get(),
          () -> "writes of " + queuedBytes.get() + " bytes wait behind " + reached);
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
    return !syncBeforeAck
        && caller != null
        && caller.mayBlock()
        && queuedBytes.get() <= CALLER_BYTES;
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
      while (hasMore()) {
        if (held == null && !lanes.isEmpty() && room.mustWait(reached)) {
          return;
        }
        boolean isOver = turns++ >= turnsMax || (turnsMax == CALLER_TURNS && lanes.isLargeNext());
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
      // A caller that queued something just now saw the pipeline busy and left it to this thread.
      if (queue.isEmpty() || !draining.compareAndSet(false, true)) {
        return;
      }
    }
  }

  /** Moves writes to their lanes; an action waits until the lanes are empty. */
  private boolean hasMore() {
    while (queue.peek() instanceof Write write) {
      queue.poll();
      lanes.add(write);
    }
    return held != null || !lanes.isEmpty() || !queue.isEmpty();
  }

  /** Returns false if the next item has to wait for the disk, and this thread may not. */
  private boolean turn(boolean mayBlock) {
    turns.incrementAndGet();
    if (held == null && !lanes.isEmpty() && room.mustRefuse(reached)) {
      refuseForRoom();
      return true;
    }
    if (held == null && !lanes.isEmpty()) {
      held = nextGroup();
      if (held == null) {
        return true;
      }
    }
    Group group = held;
    if (group != null) {
      if (!write(group, mayBlock)) {
        return false;
      }
      held = null;
      target.forgetPrepared();
      nextSegment.requestIfNeeded();
    } else if (queue.peek() instanceof QueuedAction action) {
      if (action.blocks() && !mayBlock) {
        return false;
      }
      queue.poll();
      perform(action);
    }
    return true;
  }

  private void goOn() {
    if (!handOver(syncBeforeAck ? Stage.LOG : Stage.WRITE)) {
      drain(CALLER_TURNS);
    }
  }

  private void refuseForRoom() {
    for (Write write : lanes.take()) {
      queuedBytes.addAndGet(-write.bytes());
      write.done().completeExceptionally(ColumnFamilyStores.noRoom());
    }
  }

  /** Returns the writes for this turn; null if nothing is left of them. */
  private @Nullable Group nextGroup() {
    List<Ready> writes = new ArrayList<>();
    List<LogRecord> records = new ArrayList<>();
    long bytes = 0;
    for (Write write : lanes.take()) {
      bytes += write.bytes();
      Ready ready = admit(write);
      if (ready != null) {
        writes.add(ready);
        if (write.durable()) {
          records.add(new MutationRecord(ready.prepared().mutation()));
        }
      }
    }
    queuedBytes.addAndGet(-bytes);
    return writes.isEmpty() ? null : new Group(writes, records);
  }

  /**
   * Prepares a write; null if nothing of it is to be written, in which case its future is
   * completed.
   */
  private @Nullable Ready admit(Write write) {
    try {
      Mutation admitted = target.admit(write.mutation());
      if (!admitted.updates().isEmpty()) {
        return new Ready(write, target.prepare(admitted));
      }
      write.done().complete(null);
    } catch (RuntimeException | Error e) {
      // Nothing of it is in the log yet, so what a comparator throws fails this write alone.
      write.done().completeExceptionally(Errors.escalate(e));
    }
    return null;
  }

  /** Returns false if that has to wait for the disk, and this thread may not. */
  private boolean write(Group group, boolean mayBlock) {
    List<Ready> writes = group.writes();
    LogPosition last = reached;
    try {
      if (!group.records().isEmpty()) {
        AppendedGroup appended = append(group.records(), mayBlock);
        if (appended == null) {
          return false;
        }
        last = appended.last();
      }
    } catch (LogRefusedException e) {
      // Nothing of these writes is stored anywhere. The queue goes on.
      refuse(writes, e);
      return true;
    } catch (IOException e) {
      fail(writes, e);
      return true;
    } catch (RuntimeException e) {
      LOG.error("mutations could not be encoded for the commit log", e);
      refuse(writes, e);
      return true;
    } catch (Error e) {
      // It is unknown how much reached the log, as after a failed write.
      Errors.escalate(e);
      fail(writes, new IOException("writing to it ended with " + e, e));
      return true;
    }
    publish(writes);
    // Set only now: a flush must not count records as its own that a failed sync left behind.
    reached = last;
    afterTurn();
    for (Ready ready : writes) {
      // Failed writes have been told already.
      ready.write().done().complete(null);
    }
    return true;
  }

  private @Nullable AppendedGroup append(List<LogRecord> records, boolean mayBlock)
      throws IOException {
    if (!mayBlock) {
      return syncBeforeAck ? null : log.tryAppend(records);
    }
    AppendedGroup appended = log.append(records);
    if (syncBeforeAck) {
      log.sync();
    }
    return appended;
  }

  private void publish(List<Ready> writes) {
    for (Ready ready : writes) {
      try {
        target.publish(ready.prepared(), ready.write().durable());
      } catch (RuntimeException | Error e) {
        Errors.report("a mutation that is in the commit log could not be applied to memory", e);
        ready.write().done().completeExceptionally(e);
      }
    }
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

  private static void refuse(List<Ready> writes, Exception cause) {
    for (Ready ready : writes) {
      ready.write().done().completeExceptionally(cause);
    }
  }

  private void fail(List<Ready> writes, IOException cause) {
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
    refuse(writes, cause);
  }

  private void perform(QueuedAction action) {
    try {
      action.action().accept(reached);
      action.done().complete(null);
    } catch (RuntimeException | Error e) {
      action.done().completeExceptionally(Errors.escalate(e));
    }
  }
}

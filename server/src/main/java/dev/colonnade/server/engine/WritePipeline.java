package dev.colonnade.server.engine;

import dev.colonnade.server.async.Errors;
import dev.colonnade.server.commitlog.AppendedGroup;
import dev.colonnade.server.commitlog.CommitLog;
import dev.colonnade.server.commitlog.LogRecord;
import dev.colonnade.server.commitlog.LogRefusedException;
import dev.colonnade.server.env.HostPaths;
import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.env.Stage;
import dev.colonnade.server.env.Watched;
import dev.colonnade.server.model.LogPosition;
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
 * Puts mutations in one order, and in that order into the commit log and the memtables. One thread
 * at a time drains the queue, so that a memtable has one writer, and everything in it stands at or
 * below the log position that was reached when it was replaced.
 *
 * <p>Which thread that is: in periodic mode the write stage. Its writes go to the system's memory,
 * which takes microseconds until the disk hangs, or has so much to do that the system makes writers
 * wait: then this one thread waits, and no event loop does, so that the node goes on answering all
 * else. A caller on a stage that may wait for the disk and finds the pipeline idle drains it
 * itself, for a few turns and as long as little is queued. What always has to wait (the next
 * segment of the log is not there yet; a write found no room and must be undone) is done by the log
 * stage, with the queue growing up to its bound meanwhile. In batch mode the log stage does
 * everything, because it syncs before it applies and acknowledges. Small writes do not wait for all
 * large ones that came before them: see {@link WriteLanes}.
 *
 * <p>A write or sync that fails is final: the queue is refused from then on, because what the file
 * holds is unknown.
 *
 * <p>Thread-safe.
 */
final class WritePipeline {

  private static final Logger LOG = LoggerFactory.getLogger(WritePipeline.class);

  /**
   * What a turn takes at most, so that an acknowledgement does not wait for megabytes behind it.
   */
  private static final int TURN_MUTATIONS = 256;

  private static final long TURN_BYTES = 1 << 20;

  /** The same of large writes, for which small ones wait: one, as a rule. */
  private static final long LARGE_TURN_BYTES = 256 << 10;

  /** After so many turns a draining caller hands over and goes back to its own work. */
  private static final int CALLER_TURNS = 8;

  /**
   * A caller that finds more than this in the queue hands over at once: encoding and applying it
   * takes about a millisecond, and the caller has work of its own.
   */
  private static final long CALLER_BYTES = 128 << 10;

  /** After so many turns a stage lets other tasks of its own go first. */
  private static final int STAGE_TURNS = 64;

  /** What happens to mutations once they are in the log. */
  interface Target {
    /**
     * What of a mutation is to be written, in its place in the order.
     *
     * @return the mutation itself, as a rule; without parts if nothing is left of it
     * @throws TruncationPendingException if it comes too early
     */
    Mutation admit(Mutation mutation);

    /**
     * Works out what a mutation makes of memory, on top of what was prepared before it, and so
     * compares all the names that have to be compared.
     *
     * @return what to publish; nothing has changed yet, also if this throws what a comparator
     *     throws
     */
    PreparedMutation prepare(Mutation mutation);

    /** Shows readers what was prepared, in the same order; {@code logged} if it is in the log. */
    void publish(PreparedMutation prepared, boolean logged);

    /** What was prepared and not published counts no more. */
    void forgetPrepared();

    /** A turn is over; all records up to {@code reached} are applied. */
    void afterTurn(LogPosition reached);

    /** The log failed; no more writes will come. */
    void logFailed(IOException cause);
  }

  /** One thing to do in order. */
  private sealed interface Task permits Write, Action {}

  private record Write(Mutation mutation, boolean durable, long bytes, CompletableFuture<Void> done)
      implements Task {}

  /** Something else; {@code blocks} if it may wait for the disk. */
  private record Action(Consumer<LogPosition> action, boolean blocks, CompletableFuture<Void> done)
      implements Task {}

  /** A write that can be made: nothing that it needs can throw any more. */
  private record Ready(Write write, PreparedMutation prepared) {}

  /** What is written together. */
  private record Group(List<Ready> writes, List<LogRecord> records) {}

  private final CommitLog log;
  private final Target target;
  private final Scheduler scheduler;
  private final Runnable prepareLog;
  private final boolean syncBeforeAck;
  private final long queueBytesMax;

  private final ConcurrentLinkedQueue<Task> queue = new ConcurrentLinkedQueue<>();
  private final AtomicLong queuedBytes = new AtomicLong();
  private final AtomicBoolean draining = new AtomicBoolean();

  /** How many turns there have been, for the watchdog. */
  private final AtomicLong turns = new AtomicLong();

  /** The writes at the head of the queue, up to the next action. Belongs to whoever drains. */
  private final WriteLanes<Write> lanes = new WriteLanes<>(Write::bytes, CALLER_BYTES);

  /** Taken from the lanes, and not written yet. Belongs to whoever drains. */
  private @Nullable Group held;

  /** Whether the log was asked for its next segment, and has not got it yet. */
  private final AtomicBoolean preparing = new AtomicBoolean();

  private volatile @Nullable String stopped;

  /** Set by whoever drains. */
  private volatile boolean logFailed;

  private volatile LogPosition reached;

  /**
   * An idle pipeline.
   *
   * @param prepareLog makes the log's next segment, on the log stage; deals with its failure itself
   * @param syncBeforeAck batch mode
   * @param queueBytesMax records waiting beyond this are refused
   */
  WritePipeline(
      CommitLog log,
      Target target,
      Scheduler scheduler,
      Runnable prepareLog,
      boolean syncBeforeAck,
      long queueBytesMax,
      LogPosition start) {
    this.log = log;
    this.target = target;
    this.scheduler = scheduler;
    this.prepareLog = prepareLog;
    this.syncBeforeAck = syncBeforeAck;
    this.queueBytesMax = queueBytesMax;
    this.reached = start;
  }

  /**
   * Queues a mutation; the future completes when it is in the log as the mode promises and visible
   * to readers.
   *
   * @param durable false goes to memory only
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
      return CompletableFuture.failedFuture(new OverloadedException("the queue of the commit log"));
    }
    CompletableFuture<Void> done = new CompletableFuture<>();
    queue.add(new Write(mutation, durable, bytes, done));
    drainIfIdle();
    return done;
  }

  /**
   * Runs an action in order with the mutations: everything submitted before is applied, nothing
   * after. The action gets the log position reached, must be short, and must not wait for the disk.
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
    queue.add(new Action(action, blocks, done));
    drainIfIdle();
    return done;
  }

  /** Refuses what comes from now on; what is queued is still done. */
  void stop(String reason) {
    if (stopped == null) {
      stopped = reason;
    }
  }

  /**
   * To be called by an action that says of all that the log holds that it counts no more: not after
   * an append failed, which may have left records behind {@link #reached} that a replay would find.
   *
   * @throws StoreStoppedException if so
   */
  void requireSoundLog() {
    String reason = stopped;
    if (logFailed && reason != null) {
      throw new StoreStoppedException(reason);
    }
  }

  /** Everything in the log up to here is applied. */
  LogPosition reached() {
    return reached;
  }

  /** Bytes of records waiting. */
  long queuedBytes() {
    return queuedBytes.get();
  }

  /** Says whether there is something in the queue, and how it moves. */
  void report(Watched.Observer observer) {
    if (draining.get()) {
      observer.atWork(
          "write pipeline",
          "",
          turns.get(),
          () -> "writes of " + queuedBytes.get() + " bytes wait behind " + reached);
    }
  }

  /** Asks again for the log's next segment, where that failed; to be called now and then. */
  void lookAfterLog() {
    preparing.set(false);
    prepareLogIfNeeded();
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
   * The caller owns {@link #draining} and gives it away.
   *
   * @return false if the stage takes nothing any more, since the node stops
   */
  private boolean handOver(Stage stage) {
    return scheduler.submit(stage, () -> drain(STAGE_TURNS));
  }

  /** The caller owns {@link #draining}; gives it back when the queue is empty, or hands it on. */
  private void drain(int turnsMax) {
    boolean mayBlock = scheduler.current() == Stage.LOG;
    int turns = 0;
    while (true) {
      while (hasMore()) {
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
          // The log stage has its syncs to make.
          turns = turnsMax;
        }
      }
      draining.set(false);
      // Whoever queued something just before saw the pipeline busy and left it to this thread.
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

  /** Returns false if the next thing to do has to wait for the disk, and this thread may not. */
  private boolean turn(boolean mayBlock) {
    turns.incrementAndGet();
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
      prepareLogIfNeeded();
    } else if (queue.peek() instanceof Action action) {
      if (action.blocks() && !mayBlock) {
        return false;
      }
      queue.poll();
      perform(action);
    }
    return true;
  }

  /** The writes whose turn it is; null if nothing is left of them. */
  private @Nullable Group nextGroup() {
    List<Ready> writes = new ArrayList<>();
    List<LogRecord> records = new ArrayList<>();
    long bytes = 0;
    for (Write write : lanes.take(TURN_MUTATIONS, TURN_BYTES, LARGE_TURN_BYTES)) {
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

  private void prepareLogIfNeeded() {
    if (!log.isPrepared()
        && preparing.compareAndSet(false, true)
        && !scheduler.submit(Stage.LOG, this::prepareLog)) {
      preparing.set(false);
    }
  }

  private void prepareLog() {
    prepareLog.run();
    if (log.isPrepared()) {
      preparing.set(false);
    }
  }

  /** Null if there is nothing to write, which the writer has been told. */
  private @Nullable Ready admit(Write write) {
    try {
      Mutation admitted = target.admit(write.mutation());
      if (!admitted.updates().isEmpty()) {
        return new Ready(write, target.prepare(admitted));
      }
      write.done().complete(null);
    } catch (RuntimeException | Error e) {
      // Before the log has anything of it: what a comparator throws is told to this writer alone.
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
      // Nothing of them is anywhere. The queue goes on.
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
      // How far the log came is unknown, as after a write that failed.
      Errors.escalate(e);
      fail(writes, new IOException("writing to it ended with " + e, e));
      return true;
    }
    publish(writes);
    // Not before: a flush must not take records for its own that a sync that failed left behind.
    reached = last;
    afterTurn();
    for (Ready ready : writes) {
      // Those that failed were told so.
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

  /** The thread that drains must come back to give the queue free, whatever flushing throws. */
  private void afterTurn() {
    try {
      target.afterTurn(reached);
    } catch (RuntimeException | Error e) {
      Errors.report("could not look after the memtables; tried again after the next writes", e);
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
            + "); the node takes no more writes until it is restarted on a sound disk");
    try {
      target.logFailed(cause);
    } catch (RuntimeException | Error e) {
      Errors.report("that the commit log failed could not be told", e);
    }
    refuse(writes, cause);
  }

  private void perform(Action action) {
    try {
      action.action().accept(reached);
      action.done().complete(null);
    } catch (RuntimeException | Error e) {
      action.done().completeExceptionally(Errors.escalate(e));
    }
  }
}

package dev.colonnade.server.engine;

import dev.colonnade.server.commitlog.CommitLog;
import dev.colonnade.server.commitlog.LogRecord;
import dev.colonnade.server.commitlog.LogRefusedException;
import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.env.Stage;
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
 * at a time drains the queue: in periodic mode the caller that finds it idle, which writes all that
 * is queued (no hop when quiet, one write for many when busy), in batch mode the log stage, which
 * syncs before it applies and acknowledges. So a memtable has one writer, and everything in it
 * stands at or below the log position that was reached when it was replaced.
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

  /**
   * After so many turns a draining caller hands over to the log stage and goes back to its own
   * work.
   */
  private static final int CALLER_TURNS = 8;

  /** What happens to mutations once they are in the log. */
  interface Target {
    /**
     * What of a mutation is to be written, in its place in the order.
     *
     * @return the mutation itself, as a rule; without parts if nothing is left of it
     * @throws NotTruncatedException if it comes too early
     */
    Mutation admit(Mutation mutation);

    /** Applies a mutation to memory; {@code logged} if it is in the log, too. */
    void apply(Mutation mutation, boolean logged);

    /** A turn is over; all records up to {@code reached} are applied. */
    void afterTurn(LogPosition reached);

    /** The log failed; no more writes will come. */
    void logFailed(IOException cause);
  }

  /** One thing to do in order. */
  private sealed interface Task permits Write, Action {}

  private record Write(Mutation mutation, boolean durable, long bytes, CompletableFuture<Void> done)
      implements Task {}

  private record Action(Consumer<LogPosition> action, CompletableFuture<Void> done)
      implements Task {}

  private final CommitLog log;
  private final Target target;
  private final Scheduler scheduler;
  private final boolean syncBeforeAck;
  private final long queueBytesMax;

  private final ConcurrentLinkedQueue<Task> queue = new ConcurrentLinkedQueue<>();
  private final AtomicLong queuedBytes = new AtomicLong();
  private final AtomicBoolean draining = new AtomicBoolean();
  private volatile @Nullable String stopped;

  /** Set by whoever drains. */
  private volatile boolean logFailed;

  private volatile LogPosition reached;

  /**
   * An idle pipeline.
   *
   * @param syncBeforeAck batch mode
   * @param queueBytesMax records waiting beyond this are refused
   */
  WritePipeline(
      CommitLog log,
      Target target,
      Scheduler scheduler,
      boolean syncBeforeAck,
      long queueBytesMax,
      LogPosition start) {
    this.log = log;
    this.target = target;
    this.scheduler = scheduler;
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
   * after. The action gets the log position reached, and must be short.
   */
  CompletableFuture<Void> run(Consumer<LogPosition> action) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    queue.add(new Action(action, done));
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

  private void drainIfIdle() {
    if (!draining.compareAndSet(false, true)) {
      return;
    }
    if (!syncBeforeAck || !scheduler.submit(Stage.LOG, this::drainOnStage)) {
      drain(CALLER_TURNS);
    }
  }

  private void drainOnStage() {
    drain(Integer.MAX_VALUE);
  }

  /**
   * The caller owns {@link #draining}; gives it back when the queue is empty, or hands it to the
   * log stage.
   */
  private void drain(int turns) {
    int turn = 0;
    while (true) {
      while (!queue.isEmpty()) {
        if (turn++ >= turns && scheduler.submit(Stage.LOG, this::drainOnStage)) {
          return;
        }
        turn();
      }
      draining.set(false);
      // Whoever queued something just before saw the pipeline busy and left it to this thread.
      if (queue.isEmpty() || !draining.compareAndSet(false, true)) {
        return;
      }
    }
  }

  private void turn() {
    List<Write> writes = new ArrayList<>();
    List<LogRecord> records = new ArrayList<>();
    long bytes = 0;
    while (writes.size() < TURN_MUTATIONS && bytes < TURN_BYTES) {
      Task task = queue.peek();
      if (!(task instanceof Write write)) {
        break;
      }
      queue.poll();
      bytes += write.bytes();
      Write admitted = admit(write);
      if (admitted != null) {
        writes.add(admitted);
        if (write.durable()) {
          records.add(new MutationRecord(admitted.mutation()));
        }
      }
    }
    queuedBytes.addAndGet(-bytes);
    if (!writes.isEmpty()) {
      write(writes, records);
    } else if (bytes == 0 && queue.poll() instanceof Action action) {
      perform(action);
    }
  }

  /** Null if there is nothing to write, which the writer has been told. */
  private @Nullable Write admit(Write write) {
    try {
      Mutation admitted = target.admit(write.mutation());
      if (admitted.updates().size() == write.mutation().updates().size()) {
        return write;
      }
      if (!admitted.updates().isEmpty()) {
        return new Write(admitted, write.durable(), write.bytes(), write.done());
      }
      write.done().complete(null);
    } catch (NotTruncatedException e) {
      write.done().completeExceptionally(e);
    }
    return null;
  }

  private void write(List<Write> writes, List<LogRecord> records) {
    LogPosition last = reached;
    try {
      if (!records.isEmpty()) {
        last = log.append(records).last();
        if (syncBeforeAck) {
          log.sync();
        }
      }
    } catch (LogRefusedException e) {
      // Nothing of them is anywhere. The queue goes on.
      refuse(writes, e);
      return;
    } catch (IOException e) {
      fail(writes, e);
      return;
    } catch (RuntimeException e) {
      LOG.error("mutations could not be encoded for the commit log", e);
      refuse(writes, e);
      return;
    }
    RuntimeException bug = null;
    for (Write write : writes) {
      try {
        target.apply(write.mutation(), write.durable());
      } catch (RuntimeException e) {
        bug = e;
        LOG.error("a mutation that is in the commit log could not be applied to memory", e);
      }
    }
    // Not before: a flush must not take records for its own that a sync that failed left behind.
    reached = last;
    afterTurn();
    for (Write write : writes) {
      if (bug == null) {
        write.done().complete(null);
      } else {
        write.done().completeExceptionally(bug);
      }
    }
  }

  /** Whoever drains must come back to give the queue free, whatever flushing thinks of it. */
  private void afterTurn() {
    try {
      target.afterTurn(reached);
    } catch (RuntimeException e) {
      LOG.error("could not look after the memtables; tried again after the next writes", e);
    }
  }

  private static void refuse(List<Write> writes, Exception cause) {
    for (Write write : writes) {
      write.done().completeExceptionally(cause);
    }
  }

  private void fail(List<Write> writes, IOException cause) {
    logFailed = true;
    stop(
        "the commit log failed ("
            + cause.getMessage()
            + "); the node takes no more writes until it is restarted on a sound disk");
    target.logFailed(cause);
    refuse(writes, cause);
  }

  private void perform(Action action) {
    try {
      action.action().accept(reached);
      action.done().complete(null);
    } catch (RuntimeException e) {
      action.done().completeExceptionally(e);
    }
  }
}

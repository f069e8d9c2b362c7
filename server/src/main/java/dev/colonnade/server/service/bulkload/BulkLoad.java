package dev.colonnade.server.service.bulkload;

import dev.colonnade.server.base.async.Claim;
import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.cluster.streaming.SerialTasks;
import dev.colonnade.server.service.bulkload.BulkLoadException.Refusal;
import dev.colonnade.server.service.consistency.CallTrace;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.storage.engine.RangeIngest;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One load: chunks are written in the order of their numbers, then either {@link #commit} makes all
 * rows visible, or nothing is left of them.
 *
 * <ul>
 *   <li>The first failure ends the load, whatever it is: a client sends a load again from its
 *       beginning.
 *   <li>Once a commit has begun the load cannot be cancelled, since its rows may be visible.
 *   <li>The load holds its place until its files are live or deleted.
 * </ul>
 *
 * <p>Thread-safe; nothing here blocks.
 */
public final class BulkLoad {
  private static final Logger LOG = LoggerFactory.getLogger(BulkLoad.class);

  /** The rows of a chunk. */
  public interface ChunkRows {
    /** Writes them. What it throws ends the load. */
    void writeTo(LoadWriter writer) throws IOException;
  }

  /**
   * What has been written.
   *
   * @param bytes of chunks, as they were encoded
   */
  public record Progress(long chunks, long rows, long bytes) {}

  /**
   * What has become visible.
   *
   * @param bytes of chunks, as they were encoded
   * @param fileBytes of the data files that hold them, with their indexes and filters
   */
  public record Committed(long rows, long columns, long bytes, long fileBytes) {}

  private final BulkLoads.Shared shared;
  private final LoadTarget target;
  private final Claim place;
  private final SerialTasks tasks;
  private final RangeIngest ingest;
  private final LoadWriter writer;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final long openedNanos;
  private final AtomicInteger unanswered = new AtomicInteger();
  private volatile long heardNanos;
  private volatile boolean committing;

  // Accessed only by the tasks.
  private long chunks;
  private long bytes;
  private @Nullable Throwable failure;

  BulkLoad(BulkLoads.Shared shared, LoadTarget target, RangeIngest ingest, Claim place) {
    this.shared = shared;
    this.target = target;
    this.ingest = ingest;
    this.place = place;
    this.writer = new LoadWriter(target, ingest);
    this.tasks = new SerialTasks(shared.scheduler(), Stage.COMPACTION, this::end);
    this.openedNanos = shared.clock().monotonicNanos();
    this.heardNanos = openedNanos;
  }

  /** A step of the load, which completes the answer or throws. */
  private interface LoadStep<T> {
    void take(CompletableFuture<T> answer) throws IOException;
  }

  private <T> CompletableFuture<T> take(LoadStep<T> step) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    unanswered.incrementAndGet();
    Then.whenDone(answer, (value, failed) -> answered());
    tasks.run(
        () -> {
          Throwable over = failure;
          if (over == null && committing) {
            over = new BulkLoadException(Refusal.OUT_OF_ORDER, "the load was committed already");
          }
          if (over != null) {
            answer.completeExceptionally(over);
            return;
          }
          try {
            step.take(answer);
          } catch (IOException | RuntimeException | Error e) {
            Throwable why = shared.translated(target, Errors.escalate(e));
            end(why);
            answer.completeExceptionally(why);
          }
        });
    return answer;
  }

  /**
   * Writes the next chunk.
   *
   * @param number from 0, without gaps
   * @param chunkBytes as the chunk was encoded
   * @return completes when the next chunk may come: when this one is written, and as the rate of
   *     all loads allows
   */
  public CompletableFuture<Progress> write(long number, int chunkBytes, ChunkRows rows) {
    return take(
        answer -> {
          if (number != chunks) {
            throw new BulkLoadException(
                Refusal.OUT_OF_ORDER,
                "chunk " + number + " came where chunk " + chunks + " was expected");
          }
          rows.writeTo(writer);
          chunks++;
          bytes += chunkBytes;
          completeAfter(
              shared.throttle().take(chunkBytes, shared.clock().monotonicNanos()),
              answer,
              new Progress(chunks, writer.rows(), bytes));
        });
  }

  private void completeAfter(Duration pause, CompletableFuture<Progress> answer, Progress now) {
    if (pause.isZero()) {
      answer.complete(now);
      return;
    }
    try {
      shared.scheduler().after(pause, Stage.TIMER, () -> answer.complete(now));
    } catch (RejectedExecutionException tooManyTimers) {
      answer.complete(now);
    }
  }

  /**
   * Makes all rows durable, then visible.
   *
   * @param expectedChunks how many were sent
   * @param expectedRows how many were sent
   * @param trace is told of it; null if the load is not traced
   */
  public CompletableFuture<Committed> commit(
      long expectedChunks, long expectedRows, @Nullable CallTrace trace) {
    return take(
        answer -> {
          if (expectedChunks != chunks || expectedRows != writer.rows()) {
            throw new BulkLoadException(
                Refusal.OUT_OF_ORDER,
                "the commit is of "
                    + expectedChunks
                    + " chunks with "
                    + expectedRows
                    + " rows; "
                    + chunks
                    + " and "
                    + writer.rows()
                    + " have come");
          }
          writer.end();
          // A node that has begun to join since would get only what was visible before.
          shared.owners().require(target);
          long begunNanos = shared.clock().monotonicNanos();
          if (trace != null) {
            trace.addSince(
                CallTrace.Step.LOAD_WRITTEN,
                openedNanos,
                "",
                "chunks " + chunks + ", rows " + writer.rows() + ", bytes " + bytes);
          }
          CompletableFuture<Void> visible = ingest.finish();
          Committed result =
              new Committed(writer.rows(), writer.columns(), bytes, ingest.bytesWritten());
          committing = true;
          Then.whenDone(
              visible,
              answer,
              (done, failed) -> {
                if (failed == null && trace != null) {
                  trace.addSince(
                      CallTrace.Step.LOAD_COMMITTED,
                      begunNanos,
                      "",
                      "bytes in data files " + result.fileBytes());
                }
                committed(result, failed, answer);
              });
        });
  }

  private void committed(
      Committed result, @Nullable Throwable failed, CompletableFuture<Committed> answer) {
    place.close();
    if (failed == null) {
      LOG.info("{}: {} rows, {} bytes are visible", this, result.rows(), result.bytes());
      shared.counters().committed(result);
      ended.complete(null);
      answer.complete(result);
    } else {
      Throwable why = shared.translated(target, Errors.unwrap(failed));
      LOG.warn("{} failed in its commit: {}", this, why.getMessage());
      ended.completeExceptionally(why);
      answer.completeExceptionally(why);
    }
  }

  /** Ends the load, unless its commit has begun. */
  public void cancel(String why) {
    tasks.run(() -> end(new BulkLoadException(Refusal.ABANDONED, why)));
  }

  /** Ends the load because the node is stopping, unless its commit has begun. */
  void stop() {
    tasks.run(() -> end(new CoordinationException.NodeNotReady("the node is stopping")));
  }

  /** From now on it is the client's turn, unless it is owed more answers. */
  private void answered() {
    heardNanos = shared.clock().monotonicNanos();
    unanswered.decrementAndGet();
  }

  /**
   * Gives up if the client has said nothing for too long. While it waits for an answer, for its
   * share of the rate of all loads for instance, the silence is the node's.
   */
  void checkIdle() {
    if (committing || unanswered.get() > 0) {
      return;
    }
    long silent = shared.clock().monotonicNanos() - heardNanos;
    Duration limit = shared.settings().idleTimeout();
    if (silent > limit.toNanos()) {
      cancel(
          "nothing came for "
              + silent / 1_000_000_000L
              + " s; the setting bulk_load_idle_timeout allows "
              + limit.toSeconds()
              + " s");
    }
  }

  /**
   * Completes when the load is over and holds nothing: normally after a commit, with the reason if
   * it was ended.
   */
  public CompletableFuture<Void> ended() {
    return ended.copy();
  }

  private void end(Throwable why) {
    if (failure != null || committing) {
      return;
    }
    failure = why;
    LOG.info("{} ended early: {}", this, why.getMessage());
    try {
      ingest.abandon();
    } catch (IOException | RuntimeException | Error e) {
      Errors.report(this + " left files behind; the next start deletes them", e);
    }
    place.close();
    ended.completeExceptionally(why);
  }

  @Override
  public String toString() {
    String purpose = target.purpose();
    return "bulk load of "
        + target.family().qualifiedName()
        + (purpose.isEmpty() ? "" : " (" + purpose + ")");
  }
}

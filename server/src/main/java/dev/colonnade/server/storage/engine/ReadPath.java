package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.ReadCommand;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.WorkMeter;
import dev.colonnade.server.storage.mutation.OverloadedException;
import dev.colonnade.server.storage.sstable.NotCachedException;
import dev.colonnade.server.storage.sstable.ReadContext;
import dev.colonnade.server.storage.sstable.ReadFigures;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Carries out reads: decides on which thread a {@link ReadCommand} runs, and when it ends early.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>One response shows one version of the family: a batch of writes to a row is seen whole or
 *       not at all. A read that starts over shows the version of its last attempt, nothing of the
 *       first.
 *   <li>A caller's thread never waits for the disk, and never works longer on one read than {@link
 *       WorkSteps#callerUnits} allows, whatever the row holds.
 *   <li>A read of any length is bounded: it answers at most about {@link ReadCommand#bytes}, passes
 *       at most about {@link WorkSteps#readAtoms} cells and deletions, and says where to go on.
 *   <li>A read whose answer is no longer wanted ends at its next look, whether it was cancelled or
 *       its deadline has passed, and does not begin if it still waits for a thread.
 *   <li>Each attempt has a new sink for its cells, so nothing of an attempt that starts over is
 *       answered.
 *   <li>A damaged file that a read finds is reported before the read fails.
 * </ul>
 *
 * <p>Threads: with {@link ReadMode#INLINE} the caller's, with what is in memory: in the caches, or
 * in the system's page cache. If a block is in neither, or the work becomes too much, the read
 * starts over on the read stage, which may wait for the disk. Other modes begin on the read stage.
 * Attempts share nothing, so nothing is locked. The future completes on the thread that read.
 *
 * <p>Refused: to go on, on the read stage, where the caller's thread stopped. It would save the
 * work of the first attempt, which is bounded, and small beside the disk that the read has to wait
 * for, but keep files alive while the read waits for its turn, and show a version that is older
 * than need be.
 *
 * <p>Thread-safe.
 */
final class ReadPath {

  /**
   * About how many comparisons a read makes between two checks whether its answer is still wanted.
   */
  private static final int UNITS_BETWEEN_LOOKS = 1_000;

  /** A read that can be tried with or without the disk. */
  private interface ReadTry<T> {
    T run(ReadContext context) throws IOException;
  }

  private final Clock clock;
  private final Scheduler scheduler;
  private final WorkSteps steps;
  private final DamageListener damage;

  ReadPath(Clock clock, Scheduler scheduler, WorkSteps steps, DamageListener damage) {
    this.clock = clock;
    this.scheduler = scheduler;
    this.steps = steps;
    this.damage = damage;
  }

  /** Carries out a command. Cancelling the answer ends the read, unless it runs on this thread. */
  <C extends ReadCommand, T> CompletableFuture<ReadResponse<T>> read(
      ColumnFamilyStore store,
      C command,
      ReadOutput<C, T> output,
      ReadMode mode,
      @Nullable StoreTrace trace) {
    long from = clock.monotonicNanos();
    ReadTry<ReadResponse<T>> attempt =
        context -> {
          ReadResponse<T> response = output.read(new ReadAttempt(store, steps, context), command);
          store
              .counters()
              .read(response.figures(), response.tombstones(), clock.monotonicNanos() - from);
          if (trace != null) {
            trace.reached(StoreTrace.StoreStep.READ, inWords(response));
          }
          return response;
        };
    return switch (mode) {
      case INLINE -> attempt(store, attempt, trace);
      case OFFLOADED -> onReadStage(store, ReadContext::blocking, attempt, trace);
      case PAST_CACHES -> onReadStage(store, ReadContext::passing, attempt, trace);
    };
  }

  private static String inWords(ReadResponse<?> read) {
    ReadFigures figures = read.figures();
    return "files read "
        + figures.sstablesTouched()
        + ", ruled out "
        + figures.bloomRejections()
        + "; blocks cached "
        + figures.blockCacheHits()
        + ", from disk "
        + figures.blocksFromDisk()
        + "; deletions passed "
        + read.tombstones();
  }

  /** Loads a row into the caches; false if there is no such row. */
  CompletableFuture<Boolean> touch(ColumnFamilyStore store, RowKey key, boolean loadData) {
    return attempt(
        store, context -> new ReadAttempt(store, steps, context).touch(key, loadData), null);
  }

  private <T> CompletableFuture<T> attempt(
      ColumnFamilyStore store, ReadTry<T> attempt, @Nullable StoreTrace trace) {
    try {
      return CompletableFuture.completedFuture(
          attempt.run(ReadContext.cachedOnly(OffloadReadException.after(callersUnits()))));
    } catch (NotCachedException | OffloadReadException elsewhere) {
      return onReadStage(store, ReadContext::blocking, attempt, trace);
    } catch (IOException | RuntimeException | Error e) {
      report(store, e);
      return CompletableFuture.failedFuture(e);
    }
  }

  /** The large stage is for long work: only reads that need the disk leave it. */
  private int callersUnits() {
    return scheduler.current() == Stage.LARGE ? steps.largeUnits() : steps.callerUnits();
  }

  private void report(ColumnFamilyStore store, Throwable failure) {
    Errors.escalate(failure);
    if (failure instanceof CorruptFileException corrupt) {
      damage.found(store, corrupt);
    }
  }

  /** Ends a read whose answer is no longer wanted: it was cancelled, or its deadline has passed. */
  private static WorkMeter unlessDone(CompletableFuture<?> answer) {
    return new WorkMeter() {
      private int sinceLook;

      @Override
      public void spend(int units) {
        sinceLook += units;
        if (sinceLook >= UNITS_BETWEEN_LOOKS) {
          sinceLook = 0;
          if (answer.isDone()) {
            throw new CancellationException("the caller no longer waits for this read");
          }
        }
      }
    };
  }

  private <T> CompletableFuture<T> onReadStage(
      ColumnFamilyStore store,
      Function<WorkMeter, ReadContext> circumstances,
      ReadTry<T> attempt,
      @Nullable StoreTrace trace) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    boolean queued =
        scheduler.submit(
            Stage.READ,
            () -> {
              if (answer.isDone()) {
                // Cancelled while it waited.
                return;
              }
              if (trace != null) {
                trace.reached(StoreTrace.StoreStep.READ_QUEUED, "");
              }
              T result;
              try {
                result = attempt.run(circumstances.apply(unlessDone(answer)));
              } catch (IOException | RuntimeException | Error e) {
                // Catches errors too: otherwise the caller would wait for ever.
                report(store, e);
                answer.completeExceptionally(e);
                return;
              }
              answer.complete(result);
            });
    if (!queued) {
      answer.completeExceptionally(new OverloadedException("the read stage"));
    }
    return answer;
  }
}

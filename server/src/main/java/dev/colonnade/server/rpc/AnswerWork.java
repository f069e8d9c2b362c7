package dev.colonnade.server.rpc;

import dev.colonnade.server.async.Then;
import dev.colonnade.server.coordinator.CoordinationException;
import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.env.Stage;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * Puts an answer together where there is room for it. It is read up to a small size where the call
 * came in: most answers are complete with that. Otherwise it is read as a whole on {@link
 * Stage#LARGE}, at one moment, when its memory is granted; if it is not, what was read first is
 * sent as a short page, where the call has pages. Nothing is done for a caller who has gone.
 *
 * <p>For one answer, or one message of a stream, at a time.
 */
final class AnswerWork {

  /** What a column takes on the heap besides its name and value: a cell, and its messages. */
  static final int COLUMN_HEAP_BYTES = 250;

  /** What an answer takes on the heap for each of its bytes, before it is known what it brings. */
  private static final int HEAP_FACTOR = 2;

  /** What is put together. */
  interface Part<A> {
    /** Whether there is nothing behind it. */
    boolean isComplete();

    /** It was read in place of another one, whose cost it bears, too. */
    void replaces(A other);

    /** What it takes on the heap. */
    long heapBytes();
  }

  private final Scheduler scheduler;
  private final LargeTurns large;
  private final CallContext callContext;
  private final CallMemory memory;
  private final int inlineBytes;

  /** What was granted for the answer. */
  private long held;

  private AnswerWork(
      Scheduler scheduler, LargeTurns large, CallContext callContext, int inlineBytes) {
    this.scheduler = scheduler;
    this.large = large;
    this.callContext = callContext;
    this.memory = callContext.memory();
    this.inlineBytes = inlineBytes;
  }

  /** For a call. */
  static AnswerWork of(RpcContext rpc, CallContext callContext) {
    return new AnswerWork(
        rpc.scheduler(), rpc.large(), callContext, rpc.settings().pages().inlineBytes());
  }

  /**
   * The one answer of a call.
   *
   * @param limitBytes the most that it may have, encoded
   * @param paged whether it may be shorter
   * @param read reads it anew, up to so many bytes
   */
  <A extends Part<A>> CompletableFuture<A> answer(
      int limitBytes, boolean paged, IntFunction<CompletableFuture<A>> read) {
    return read.apply(Math.min(limitBytes, inlineBytes))
        .thenCompose(
            small -> {
              if (small.isComplete() || limitBytes <= inlineBytes) {
                return handOver(small);
              }
              if (hold(limitBytes)) {
                return onStage(limitBytes, () -> read.apply(limitBytes))
                    .thenApply(
                        whole -> {
                          whole.replaces(small);
                          return paid(whole);
                        });
              }
              return paged ? handOver(small) : CompletableFuture.failedFuture(overloaded());
            });
  }

  /**
   * One message of a stream.
   *
   * @param limitBytes the most that it may have, encoded
   * @param read reads it
   */
  <A extends Part<A>> CompletableFuture<A> chunk(
      int limitBytes, Supplier<CompletableFuture<A>> read) {
    held = 0;
    return hold(limitBytes)
        ? onStage(limitBytes, read).thenApply(this::paid)
        : CompletableFuture.failedFuture(overloaded());
  }

  /**
   * Repeats a step as {@link AsyncLoop} does; all but the first away from the event loop.
   *
   * @param step completes with whether there is more to do
   */
  CompletableFuture<Void> repeat(Supplier<CompletableFuture<Boolean>> step) {
    boolean[] begun = new boolean[1];
    return AsyncLoop.whileTrue(
        () -> {
          callContext.throwIfCancelled();
          if (begun[0]) {
            return onStage(inlineBytes, step);
          }
          begun[0] = true;
          return step.get();
        });
  }

  /**
   * A part that one large column made large is encoded away from the event loop, like other large
   * ones: there may be hundreds of them behind each other.
   */
  private <A extends Part<A>> CompletableFuture<A> handOver(A part) {
    A paid = paid(part);
    return part.heapBytes() <= (long) HEAP_FACTOR * inlineBytes
        ? CompletableFuture.completedFuture(paid)
        : onStage(part.heapBytes(), () -> CompletableFuture.completedFuture(paid));
  }

  private boolean hold(int limitBytes) {
    long heapBytes = (long) HEAP_FACTOR * limitBytes;
    if (!memory.holdAnswer(heapBytes, limitBytes)) {
      return false;
    }
    held = heapBytes;
    return true;
  }

  /** Pays for what it has become. */
  private <A extends Part<A>> A paid(A part) {
    long takes = part.heapBytes();
    if (held > 0 || takes > CallMemory.BASE_HEAP_BYTES / 2) {
      if (!memory.correctAnswer(takes - held)) {
        throw overloaded();
      }
      held = takes;
    }
    return part;
  }

  private static CoordinationException.Overloaded overloaded() {
    return new CoordinationException.Overloaded("the memory for answers");
  }

  /**
   * What a read has brought, where the read began: one that began on the stage and had to wait for
   * the disk goes on there, so that no more answers are in the making than the stage has threads.
   */
  <T> CompletableFuture<T> here(CompletableFuture<T> read) {
    if (read.isDone() || scheduler.current() != Stage.LARGE) {
      return read;
    }
    CompletableFuture<T> back = new CompletableFuture<>();
    Then.whenDone(
        read,
        (value, error) -> {
          if (error != null
              || scheduler.current() == Stage.LARGE
              || !large.submit(memory.connection(), inlineBytes, () -> Then.relay(read, back))) {
            Then.relay(read, back);
          }
        });
    return back;
  }

  private <T> CompletableFuture<T> onStage(long bytes, Supplier<CompletableFuture<T>> work) {
    if (scheduler.current() == Stage.LARGE) {
      return work.get();
    }
    CompletableFuture<T> result = new CompletableFuture<>();
    boolean queued =
        large.submit(
            memory.connection(),
            bytes,
            () ->
                Then.relay(
                    Then.called(
                        () -> {
                          callContext.throwIfCancelled();
                          return work.get();
                        }),
                    result));
    if (!queued) {
      result.completeExceptionally(new CoordinationException.Overloaded("large answers"));
    }
    return result;
  }
}

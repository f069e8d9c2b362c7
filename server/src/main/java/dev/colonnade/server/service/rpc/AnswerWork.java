package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.async.AsyncLoop;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.service.consistency.CoordinationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * Builds an answer on a suitable thread. A first read, up to a small size, runs where the call
 * arrived; most answers are complete after it. Otherwise the whole answer is read again from its
 * start on {@link Stage#LARGE}, after its memory is reserved. If there is not enough memory, the
 * first read is sent as a short page, if the call has pages. Nothing is done for a caller that has
 * gone.
 *
 * <p>Each of these reads is an answer of its own, of which only the size differs; they are never
 * joined, because they show rows at different moments.
 *
 * <p>For one answer, or one message of a stream, at a time.
 */
final class AnswerWork {

  /** The heap for each byte of an answer, as an estimate before its content is known. */
  private static final int HEAP_FACTOR = 2;

  /** A part of an answer. */
  interface Part<A> {
    /** Whether nothing follows this part. */
    boolean isComplete();

    /** Takes over the cost of another part that this one was read in place of. */
    void replaces(A other);

    /** The heap that it takes. */
    long heapBytes();
  }

  private final Scheduler scheduler;
  private final LargeTurns large;
  private final CallContext callContext;
  private final AnswerMemory memory;
  private final int inlineBytes;

  /** The bytes reserved for the answer. */
  private long held;

  private AnswerWork(
      Scheduler scheduler, LargeTurns large, CallContext callContext, int inlineBytes) {
    this.scheduler = scheduler;
    this.large = large;
    this.callContext = callContext;
    this.memory = callContext.memory();
    this.inlineBytes = inlineBytes;
  }

  /** Creates the work of a call. */
  static AnswerWork of(RpcContext rpc, CallContext callContext) {
    return new AnswerWork(
        rpc.scheduler(), rpc.large(), callContext, rpc.settings().pages().inlineBytes());
  }

  /**
   * Builds the single answer of a call.
   *
   * @param limitBytes the largest encoded size
   * @param paged whether the answer may be shorter
   * @param read reads the answer from its start, up to a number of bytes
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
   * Builds one message of a stream.
   *
   * @param limitBytes the largest encoded size
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
   * Repeats a step as {@link AsyncLoop} does; all but the first run off the event loop.
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
   * Encodes a part that is large because of one large column off the event loop, like other large
   * answers: hundreds of them may follow one another.
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

  /** Corrects the reservation to the part's actual size. */
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
   * Continues on the thread where the read began. A read that began on the stage and had to wait
   * for the disk continues there, so that no more answers are built at once than the stage has
   * threads.
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

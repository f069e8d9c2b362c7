package dev.colonnade.server.storage.compaction;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Throttle;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.storage.sstable.SSTable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One compaction of data files into one. It runs on {@link Stage#COMPACTION} in steps of bounded
 * size; between steps it gives the thread back for as long as the rate limit demands.
 *
 * <p>States: waiting, running, then exactly one of finished, failed, cancelled, upon which the
 * listener is told once. The inputs are never changed: replacing them by the output is up to the
 * listener.
 *
 * <p>{@link #cancel} and the progress may be used by any thread.
 */
public final class Compaction {

  /** Hears how a compaction ended, once, on {@link Stage#COMPACTION}. */
  public interface CompactionListener {
    /**
     * The compaction is done and durable.
     *
     * @param output with one reference, which is the listener's; empty if nothing was left to keep
     */
    void finished(Optional<SSTable> output);

    /**
     * The compaction failed, and left nothing behind.
     *
     * @param failure a {@link dev.colonnade.server.base.codec.CorruptFileException} names the
     *     damaged input
     */
    void failed(Throwable failure);

    /** The compaction was cancelled and left nothing behind. */
    void cancelled();
  }

  private final MergeRequest request;
  private final Scheduler scheduler;
  private final Clock clock;
  private final Throttle throttle;
  private final CompactionListener listener;
  private final long totalBytes;
  private volatile long doneBytes;
  private final AtomicLong steps = new AtomicLong();
  private volatile boolean cancelled;
  private @Nullable Merge paused;
  private Scheduler.@Nullable Cancellable timer;

  private Compaction(
      MergeRequest request,
      Scheduler scheduler,
      Clock clock,
      Throttle throttle,
      CompactionListener listener) {
    this.request = request;
    this.scheduler = scheduler;
    this.clock = clock;
    this.throttle = throttle;
    this.listener = listener;
    this.totalBytes = request.inputs().stream().mapToLong(i -> i.stats().dataBytes()).sum();
  }

  /**
   * Starts a compaction.
   *
   * @param throttle shared by all compactions of a node
   * @return the running compaction; empty if the stage is full, in which case the listener is not
   *     called
   */
  public static Optional<Compaction> start(
      MergeRequest request,
      Scheduler scheduler,
      Clock clock,
      Throttle throttle,
      CompactionListener listener) {
    Compaction compaction = new Compaction(request, scheduler, clock, throttle, listener);
    return scheduler.submit(Stage.COMPACTION, compaction::begin)
        ? Optional.of(compaction)
        : Optional.empty();
  }

  /**
   * Stops the compaction at its next step; one that pauses is ended at once, on its stage, or by
   * the caller if the stage is full. Idempotent.
   */
  public void cancel() {
    cancelled = true;
    Merge paused = endPause();
    if (paused != null && !scheduler.submit(Stage.COMPACTION, () -> run(paused))) {
      run(paused);
    }
  }

  /** The inputs. */
  public List<SSTable> inputs() {
    return request.inputs();
  }

  /** Bytes of the inputs read so far. */
  public long doneBytes() {
    return doneBytes;
  }

  /** Grows with each step. */
  public long steps() {
    return steps.get();
  }

  /** Bytes of the inputs in total. */
  public long totalBytes() {
    return totalBytes;
  }

  private void begin() {
    Merge merge;
    try {
      merge = Merge.open(request);
    } catch (IOException | RuntimeException | Error failure) {
      listener.failed(Errors.escalate(failure));
      return;
    }
    run(merge);
  }

  /** Whatever is thrown ends the compaction, and the listener is told. */
  private void run(Merge merge) {
    Runnable report;
    try {
      report = step(merge);
    } catch (IOException | RuntimeException | Error failure) {
      Errors.escalate(failure);
      report = () -> listener.failed(failure);
    }
    if (report != null) {
      end(merge, report);
    }
  }

  /** Returns what to tell at the end of the compaction; null while it goes on. */
  private @Nullable Runnable step(Merge merge) throws IOException {
    steps.incrementAndGet();
    if (cancelled) {
      return listener::cancelled;
    }
    long before = doneBytes;
    boolean more = merge.step();
    doneBytes = merge.bytesRead();
    if (!more) {
      Optional<SSTable> output = merge.finish();
      return () -> listener.finished(output);
    }
    Duration pause = throttle.take(doneBytes - before, clock.monotonicNanos());
    if (pause.isZero() && scheduler.submit(Stage.COMPACTION, () -> run(merge))) {
      return null;
    }
    // A full queue is a reason to wait as well: a compaction is the least urgent work here.
    pause(merge, pause.isZero() ? Throttle.SHORTEST_PAUSE : pause);
    if (cancelled) {
      cancel();
    }
    return null;
  }

  private synchronized void pause(Merge merge, Duration wait) {
    timer = scheduler.after(wait, Stage.COMPACTION, this::goOn);
    paused = merge;
  }

  private void goOn() {
    Merge merge = endPause();
    if (merge != null) {
      run(merge);
    }
  }

  /** Takes the pausing merge, so that only one thread ends the pause; null if another one has. */
  private synchronized @Nullable Merge endPause() {
    Merge merge = paused;
    paused = null;
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
    return merge;
  }

  private void end(Merge merge, Runnable report) {
    try {
      merge.close();
    } catch (IOException | RuntimeException | Error failure) {
      listener.failed(Errors.escalate(failure));
      return;
    }
    report.run();
  }
}

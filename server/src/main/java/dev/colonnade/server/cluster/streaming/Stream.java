package dev.colonnade.server.cluster.streaming;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.env.HostPaths;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What both sides of a stream share: progress, and outcome. Thread-safe. */
abstract sealed class Stream implements Transfer permits OutgoingStream, IncomingStream {
  private static final Logger LOG = LoggerFactory.getLogger(Stream.class);

  private final StreamId id;
  private final Consumer<StreamProgress> listener;
  private final CompletableFuture<StreamProgress> done = new CompletableFuture<>();
  private final StreamTotals totals;
  private volatile StreamProgress progress;

  Stream(
      StreamId id, StreamProgress begin, StreamTotals totals, Consumer<StreamProgress> listener) {
    this.totals = totals;
    this.id = id;
    this.progress = begin;
    this.listener = listener;
  }

  /** Whether this node has work to do for it now, and does not wait for the other side. */
  abstract boolean isAtWork();

  /** Changes with each thing done. */
  abstract long steps();

  final StreamId id() {
    return id;
  }

  @Override
  public final StreamProgress progress() {
    return progress;
  }

  @Override
  public final CompletableFuture<StreamProgress> done() {
    return done.copy();
  }

  /** As {@link #done}, for callers that a cancelled copy must not mislead. */
  final boolean isOver() {
    return done.isDone();
  }

  final void moved(StreamProgress.StreamState state, long rows, long bytes, long fileBytes) {
    StreamProgress last = progress;
    totals.moved(rows - last.rows(), bytes - last.bytes());
    progress =
        new StreamProgress(
            last.id(),
            last.peerId(),
            last.family(),
            last.outgoing(),
            last.purpose(),
            state,
            rows,
            bytes,
            fileBytes);
    try {
      listener.accept(progress);
    } catch (RuntimeException | Error e) {
      // The listener failed, not the stream, which goes on.
      Errors.report("could not report the progress of " + this, e);
    }
  }

  final void moved(StreamProgress.StreamState state) {
    moved(state, progress.rows(), progress.bytes(), progress.fileBytes());
  }

  final void succeeded() {
    moved(StreamProgress.StreamState.DONE);
    totals.ended(true);
    LOG.info("{}: {} rows, {} bytes", this, progress.rows(), progress.bytes());
    done.complete(progress);
  }

  final void failed(String why, @Nullable Throwable cause) {
    moved(StreamProgress.StreamState.FAILED);
    totals.ended(false);
    LOG.warn("{} ended early: {}", this, why);
    done.completeExceptionally(
        new StreamFailedException(this + " ended early: " + HostPaths.without(why), cause));
  }

  @Override
  public final String toString() {
    StreamProgress now = progress;
    return "stream "
        + now.id()
        + (now.outgoing() ? " to " : " from ")
        + now.peerId()
        + " of family "
        + now.family()
        + " ("
        + now.purpose()
        + ")";
  }
}

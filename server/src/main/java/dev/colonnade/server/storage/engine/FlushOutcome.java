package dev.colonnade.server.storage.engine;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The outcome of a memtable's flush: attempts may fail and are repeated, until there is a file, or
 * nothing to keep. Thread-safe.
 */
final class FlushOutcome {

  private final CompletableFuture<Optional<String>> end = new CompletableFuture<>();
  private CompletableFuture<Optional<String>> attempt = new CompletableFuture<>();
  private volatile boolean awaited;

  /** Completes with the file's name, or with nothing if there was nothing to keep. */
  CompletableFuture<Optional<String>> end() {
    awaited = true;
    return end;
  }

  /** As {@link #end}, but fails if the attempt that runs now or comes next fails. */
  synchronized CompletableFuture<Optional<String>> attempt() {
    awaited = true;
    return attempt;
  }

  /** Whether a caller waits for one of these futures, and so for the flush. */
  boolean isAwaited() {
    return awaited;
  }

  /** The flush is over. */
  void done(Optional<String> file) {
    end.complete(file);
    current().complete(file);
  }

  /** One attempt failed; there will be another. */
  void failed(Throwable cause) {
    CompletableFuture<Optional<String>> over;
    synchronized (this) {
      over = attempt;
      attempt = new CompletableFuture<>();
    }
    over.completeExceptionally(cause);
  }

  /** The flush failed for good. */
  void gaveUp(Throwable cause) {
    end.completeExceptionally(cause);
    current().completeExceptionally(cause);
  }

  private synchronized CompletableFuture<Optional<String>> current() {
    return attempt;
  }
}

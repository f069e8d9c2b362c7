package dev.colonnade.server.cluster.streaming;

import java.util.concurrent.CompletableFuture;

/** A handle to a stream. Thread-safe. */
public interface Transfer {

  /**
   * Completes when the rows are durable and visible at the receiver. Fails with {@link
   * StreamFailedException}. Cancelling it has no effect on the stream: that is {@link #cancel}.
   */
  CompletableFuture<StreamProgress> done();

  /** The current progress. */
  StreamProgress progress();

  /** Ends the stream, unless it is done; the other side is told. */
  void cancel(String why);
}

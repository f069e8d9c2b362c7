package dev.colonnade.server.node;

import dev.colonnade.server.async.Then;
import dev.colonnade.server.membership.MembershipException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** That a node has to stop, and why. Thread-safe. */
final class FatalStop {

  private static final Logger LOG = LoggerFactory.getLogger(FatalStop.class);

  private final AtomicBoolean begun = new AtomicBoolean();
  private final CompletableFuture<String> reason = new CompletableFuture<>();
  private final Supplier<CompletableFuture<Void>> announceShutdown;

  /**
   * The end of a node that goes on for now.
   *
   * @param fallSilent lets the node take no more part in its cluster
   */
  FatalStop(Supplier<CompletableFuture<Void>> fallSilent) {
    this.announceShutdown = fallSilent;
  }

  /** Completes when the node has to stop, and is silent already. Never fails. */
  CompletableFuture<String> reason() {
    return reason.copy();
  }

  /** The node has to stop. The first reason counts. */
  void end(String why) {
    if (begun.compareAndSet(false, true)) {
      LOG.error("this node stops: {}", why);
      Then.whenDone(Then.called(announceShutdown), (silent, failure) -> reason.complete(why));
    }
  }

  /** What is awaited, or its failure if the node has to stop before. */
  CompletableFuture<Void> orEnded(CompletableFuture<Void> awaited) {
    CompletableFuture<Void> either = new CompletableFuture<>();
    Then.relay(awaited, either);
    Then.whenDone(
        reason,
        either,
        (why, none) -> either.completeExceptionally(new MembershipException(String.valueOf(why))));
    return either;
  }
}

package dev.colonnade.server.node;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.cluster.membership.MembershipException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records that a node must stop, and why. Thread-safe. */
final class FatalStop {

  private static final Logger LOG = LoggerFactory.getLogger(FatalStop.class);

  private final AtomicBoolean begun = new AtomicBoolean();
  private final CompletableFuture<MembershipException> reason = new CompletableFuture<>();
  private final Supplier<CompletableFuture<Void>> announceShutdown;

  /**
   * Creates the record of a node that is still running.
   *
   * @param fallSilent stops the node's gossip and messages
   */
  FatalStop(Supplier<CompletableFuture<Void>> fallSilent) {
    this.announceShutdown = fallSilent;
  }

  /** Completes when the node must stop and has stopped its gossip and messages. Never fails. */
  CompletableFuture<MembershipException> reason() {
    return reason.copy();
  }

  /** Makes the node stop. The first reason counts. */
  void end(String why) {
    end(new MembershipException(why));
  }

  /** Makes the node stop. The first reason counts. */
  void end(MembershipException why) {
    if (begun.compareAndSet(false, true)) {
      LOG.error("this node is stopping: {}", why.getMessage());
      Then.whenDone(Then.called(announceShutdown), (silent, failure) -> reason.complete(why));
    }
  }

  /** Returns the awaited future, which fails if the node must stop before it completes. */
  CompletableFuture<Void> orEnded(CompletableFuture<Void> awaited) {
    CompletableFuture<Void> either = new CompletableFuture<>();
    Then.relay(awaited, either);
    Then.whenDone(reason, either, (why, none) -> either.completeExceptionally(why));
    return either;
  }
}

package dev.colonnade.server.cluster.membership;

import dev.colonnade.server.cluster.gossip.ApplicationState;
import dev.colonnade.server.cluster.gossip.NodeStatus;
import dev.colonnade.server.cluster.gossip.TokenCodec;
import dev.colonnade.server.cluster.membership.MembershipException.Reason;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.Topology;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Joins this node to a ring that has data, in these steps:
 *
 * <ul>
 *   <li>it waits until it knows the ring and the schema as the others do;
 *   <li>it announces its tokens; from then on it gets every write for its ranges;
 *   <li>it fetches the rows that were written before;
 *   <li>only then it owns the ranges.
 * </ul>
 *
 * <p>If the node dies on the way, the others stop counting on it; when it is started again, it
 * begins from the start.
 */
final class Bootstrap {

  private static final Duration LOOK_AGAIN = Duration.ofMillis(500);

  private final RingOperation operation;
  private final Partitioner partitioner;
  private final List<byte[]> wanted;
  private final Optional<String> replaced;

  /**
   * Prepares a bootstrap.
   *
   * @param wanted its tokens; if empty, it takes the middle of the most loaded node's largest range
   * @param replaced the id of the dead node that it replaces
   */
  Bootstrap(
      RingOperation operation,
      Partitioner partitioner,
      List<byte[]> wanted,
      Optional<String> replaced) {
    this.operation = operation;
    this.partitioner = partitioner;
    this.wanted = List.copyOf(wanted);
    this.replaced = replaced;
  }

  /**
   * Joins; when this completes the node has its ranges' rows, and has not announced that it owns
   * them.
   */
  CompletableFuture<List<byte[]>> begin() {
    operation.report("looking", "for the ring, at the seeds");
    long deadline =
        operation.context().clock().monotonicNanos()
            + operation.context().settings().findLimit().toNanos();
    return find(deadline)
        .thenCompose(found -> operation.waitRingDelay("until all nodes of the ring are known"))
        .thenCompose(settled -> awaitDeath(deadline))
        .thenCompose(settled -> knowing(this::announce));
  }

  private CompletableFuture<Void> find(long deadlineNanos) {
    boolean found =
        operation.topology().places().stream()
            .anyMatch(place -> place.alive() && !place.node().id().equals(operation.selfId()));
    if (found) {
      return CompletableFuture.completedFuture(null);
    }
    if (operation.context().clock().monotonicNanos() - deadlineNanos > 0) {
      return CompletableFuture.failedFuture(
          new MembershipException(
              "no node of the ring answered within "
                  + operation.context().settings().findLimit().toSeconds()
                  + " s. Check --seeds and that those nodes run; the first nodes of a new cluster"
                  + " are started with --no-bootstrap"));
    }
    return operation.pause(LOOK_AGAIN).thenCompose(passed -> find(deadlineNanos));
  }

  /** Waits for the failure detector: a node that died a moment ago is still considered up. */
  private CompletableFuture<Void> awaitDeath(long deadlineNanos) {
    boolean isUp = replaced.filter(operation.topology()::isAlive).isPresent();
    if (!isUp || operation.context().clock().monotonicNanos() - deadlineNanos > 0) {
      return CompletableFuture.completedFuture(null);
    }
    return operation.pause(LOOK_AGAIN).thenCompose(passed -> awaitDeath(deadlineNanos));
  }

  /** Continues when this node knows the ring and the schema as the others do. */
  private <T> CompletableFuture<T> knowing(Supplier<CompletableFuture<T>> next) {
    return operation
        .awaitCompleteRing(operation.context().settings().findLimit())
        .thenCompose(
            reason ->
                reason.isPresent()
                    ? stepBack(new MembershipException(reason.get()))
                        .thenCompose(never -> next.get())
                    : next.get());
  }

  private CompletableFuture<List<byte[]>> announce() {
    // A node that died during a move is replaced where it was, which ends its move.
    Optional<MembershipException> refusal =
        operation
            .otherChangeThan(replaced.orElse(""))
            .or(() -> AddressReuseCheck.of(operation, replaced));
    if (refusal.isPresent()) {
      return CompletableFuture.failedFuture(refusal.get());
    }
    List<byte[]> tokens;
    NodeStatus status;
    if (replaced.isPresent()) {
      Optional<Topology.Place> dead = operation.topology().place(replaced.get());
      if (dead.isEmpty() || dead.get().alive()) {
        return CompletableFuture.failedFuture(
            new MembershipException(
                "node "
                    + replaced.get()
                    + " cannot be replaced: it is "
                    + (dead.isEmpty() ? "not in the ring" : "up")));
      }
      tokens = dead.get().node().tokens();
      status = NodeStatus.replacing(replaced.get());
    } else {
      tokens =
          wanted.isEmpty()
              ? List.of(
                  new LoadBalanceTarget(operation, partitioner).middle(operation.topology().ring()))
              : wanted;
      status = NodeStatus.joining();
    }
    Map<ApplicationState, String> states = new TreeMap<>();
    states.put(ApplicationState.TOKENS, TokenCodec.print(tokens));
    states.put(ApplicationState.STATUS, status.text());
    operation.context().gossiper().set(states);
    return operation
        .settle("until all nodes send this one its writes", replaced.orElse(""))
        .exceptionallyCompose(this::stepBack)
        .thenCompose(settled -> knowing(this::fetch))
        .thenApply(fetched -> tokens);
  }

  private CompletableFuture<Void> fetch() {
    Optional<MembershipException> obstacle = lostPlace();
    if (obstacle.isPresent()) {
      return stepBack(obstacle.get());
    }
    return operation
        .transferChangedRanges()
        .thenCompose(fetched -> lostPlace().map(this::stepBack).orElseGet(Bootstrap::nothing));
  }

  private static CompletableFuture<Void> nothing() {
    return CompletableFuture.completedFuture(null);
  }

  private CompletableFuture<Void> stepBack(Throwable reason) {
    operation.context().gossiper().set(ApplicationState.STATUS, "");
    return CompletableFuture.failedFuture(reason);
  }

  /** Another node may have taken the same token. Only one of them gets a place with it. */
  private Optional<MembershipException> lostPlace() {
    return operation.topology().place(operation.selfId()).isPresent()
        ? Optional.empty()
        : Optional.of(
            new MembershipException(
                Reason.OTHER_CHANGE,
                "",
                "another node is taking the same token: one change at a time. Wait until it is"
                    + " done, and try again"));
  }
}

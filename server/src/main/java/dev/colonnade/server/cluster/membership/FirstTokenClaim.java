package dev.colonnade.server.cluster.membership;

import dev.colonnade.server.cluster.gossip.TokenCodec;
import dev.colonnade.server.cluster.membership.MembershipException.Reason;
import dev.colonnade.server.cluster.ring.Topology;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Takes a first place without data, as the first nodes of a cluster do. It waits for gossip first:
 * if a node of the ring already has this address or one of these tokens, this may be that node come
 * back without its data, which must be reported instead of passing unnoticed.
 */
final class FirstTokenClaim {

  private static final Duration LOOK_AGAIN = Duration.ofMillis(250);

  private final RingOperation operation;

  FirstTokenClaim(RingOperation operation) {
    this.operation = operation;
  }

  /**
   * Completes when nothing speaks against these tokens.
   *
   * @param mayBeOthers whether there are seeds other than this node that may know a ring
   */
  CompletableFuture<Void> begin(List<byte[]> tokens, boolean mayBeOthers) {
    long limit =
        mayBeOthers ? operation.context().settings().aloneAfter().toNanos() : Long.MIN_VALUE;
    operation.report("looking", "for a ring, at the seeds");
    return hear(operation.context().clock().monotonicNanos(), limit)
        .thenCompose(
            heard -> {
              Optional<MembershipException> refusal =
                  AddressReuseCheck.of(operation).or(() -> taken(tokens));
              return refusal.isPresent()
                  ? CompletableFuture.failedFuture(refusal.get())
                  : CompletableFuture.completedFuture(null);
            });
  }

  private CompletableFuture<Void> hear(long begunNanos, long limitNanos) {
    boolean heard =
        operation.topology().places().stream()
            .anyMatch(place -> place.alive() && !place.node().id().equals(operation.selfId()));
    if (heard || operation.context().clock().monotonicNanos() - begunNanos >= limitNanos) {
      return CompletableFuture.completedFuture(null);
    }
    return operation.pause(LOOK_AGAIN).thenCompose(passed -> hear(begunNanos, limitNanos));
  }

  private Optional<MembershipException> taken(List<byte[]> tokens) {
    for (Topology.Place place : operation.topology().places()) {
      for (byte[] taken : place.node().tokens()) {
        boolean isWanted = tokens.stream().anyMatch(token -> Arrays.equals(token, taken));
        if (isWanted && !place.node().id().equals(operation.selfId())) {
          return Optional.of(
              new MembershipException(
                  Reason.PLACE_TAKEN,
                  place.node().id(),
                  "the token "
                      + TokenCodec.print(List.of(taken))
                      + " (hexadecimal) belongs to node "
                      + place.node().id()
                      + " at "
                      + place.node().address()
                      + ". If this node is that one and lost its data, replace it with --replace "
                      + place.node().id()
                      + "; otherwise choose another token, or let the node choose one"));
        }
      }
    }
    return Optional.empty();
  }
}

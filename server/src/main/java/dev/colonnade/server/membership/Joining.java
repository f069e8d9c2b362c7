package dev.colonnade.server.membership;

import dev.colonnade.server.gossip.ApplicationState;
import dev.colonnade.server.gossip.Member;
import dev.colonnade.server.gossip.NodeStatus;
import dev.colonnade.server.gossip.Tokens;
import dev.colonnade.server.ring.Partitioner;
import dev.colonnade.server.ring.Ring;
import dev.colonnade.server.ring.RingNode;
import dev.colonnade.server.ring.TokenRange;
import dev.colonnade.server.ring.Topology;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * A new node takes its place in a ring that has data: it finds the ring, announces its tokens, from
 * when on it gets every write for its ranges, fetches the rows that were written before, and only
 * then owns them. If it dies on the way nobody counts on it any more, and when it is started again
 * it begins again.
 */
final class Joining {

  private static final Duration LOOK_AGAIN = Duration.ofMillis(500);

  private final Change change;
  private final Partitioner partitioner;
  private final Optional<byte[]> wanted;
  private final Optional<String> replaced;

  /**
   * A join to come.
   *
   * @param wanted where on the ring; empty: in the middle of the fullest node's largest range
   * @param replaced the id of the dead node whose place it takes
   */
  Joining(
      Change change, Partitioner partitioner, Optional<byte[]> wanted, Optional<String> replaced) {
    this.change = change;
    this.partitioner = partitioner;
    this.wanted = wanted;
    this.replaced = replaced;
  }

  /** Joins; the node owns its ranges' rows when this completes, and nobody knows it yet. */
  CompletableFuture<List<byte[]>> begin() {
    change.tell("looking", "for the ring, at the seeds");
    long deadline =
        change.parts().clock().monotonicNanos() + change.parts().settings().findLimit().toNanos();
    return find(deadline)
        .thenCompose(found -> change.settle("until all nodes of the ring are known"))
        .thenCompose(settled -> announce());
  }

  private CompletableFuture<Void> find(long deadlineNanos) {
    boolean found =
        change.topology().places().stream()
            .anyMatch(place -> place.alive() && !place.node().id().equals(change.selfId()));
    if (found) {
      return CompletableFuture.completedFuture(null);
    }
    if (change.parts().clock().monotonicNanos() - deadlineNanos > 0) {
      return CompletableFuture.failedFuture(
          new MembershipException(
              "no node of the ring answered within "
                  + change.parts().settings().findLimit().toSeconds()
                  + " s. Check --seeds and that those nodes run; the first nodes of a new cluster"
                  + " are started with --no-bootstrap"));
    }
    return change.pause(LOOK_AGAIN).thenCompose(passed -> find(deadlineNanos));
  }

  private CompletableFuture<List<byte[]>> announce() {
    Optional<String> refusal = change.otherChange().or(this::formerSelf);
    if (refusal.isPresent()) {
      return CompletableFuture.failedFuture(new MembershipException(refusal.get()));
    }
    List<byte[]> tokens;
    NodeStatus status;
    if (replaced.isPresent()) {
      Optional<Topology.Place> dead = change.topology().place(replaced.get());
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
      tokens = List.of(wanted.orElseGet(this::inTheFullest));
      status = NodeStatus.joining();
    }
    Map<ApplicationState, String> states = new TreeMap<>();
    states.put(ApplicationState.TOKENS, Tokens.print(tokens));
    states.put(ApplicationState.STATUS, status.text());
    change.parts().gossiper().set(states);
    return change
        .settle("until all nodes send this one its writes")
        .thenCompose(settled -> fetch())
        .thenApply(fetched -> tokens);
  }

  private CompletableFuture<Void> fetch() {
    Optional<String> other = change.otherChange();
    if (other.isPresent() && replaced.isEmpty()) {
      // Both began at once. Each sees the other, and both step back: who tries again first wins.
      change
          .parts()
          .gossiper()
          .set(
              ApplicationState.STATUS,
              NodeStatus.left(change.parts().clock().wallMicros() / 1_000).text());
      return CompletableFuture.failedFuture(new MembershipException(other.get()));
    }
    Topology topology = change.topology();
    return change.fetchGains(topology.ring(), topology.future());
  }

  /** A node that lost its data is another node now; its old place must not be taken unseen. */
  private Optional<String> formerSelf() {
    for (Member member : change.parts().gossiper().members().all()) {
      boolean sameAddress =
          member
              .peer()
              .address()
              .equals(change.parts().gossiper().members().self().peer().address());
      boolean inRing = change.topology().place(member.id()).isPresent();
      if (sameAddress
          && inRing
          && !member.id().equals(change.selfId())
          && !replaced.equals(Optional.of(member.id()))) {
        return Optional.of(
            "this address is that of node "
                + member.id()
                + ", which still has its place in the ring, and the data directory here is another"
                + " one's or empty. Start the node with its own data; or give up that data and take"
                + " its place with --replace "
                + member.id()
                + "; or remove it from the ring first");
      }
    }
    return Optional.empty();
  }

  /** In the middle of the largest range of the node that tells of the most data. */
  private byte[] inTheFullest() {
    Ring ring = change.topology().ring();
    RingNode fullest =
        ring.nodes().stream()
            .filter(node -> change.topology().isAlive(node.id()))
            .max(Comparator.comparingLong(this::load).thenComparing(RingNode::id))
            .orElse(ring.nodes().get(0));
    TokenRange chosen = null;
    for (TokenRange range : ring.ranges()) {
      if (ring.primaryFor(range.end()).id().equals(fullest.id())) {
        chosen = range;
        break;
      }
    }
    TokenRange range = chosen == null ? ring.ranges().get(0) : chosen;
    return partitioner.midpoint(range.start(), range.end());
  }

  private long load(RingNode node) {
    String text =
        change
            .parts()
            .gossiper()
            .members()
            .byId(node.id())
            .flatMap(member -> member.state(ApplicationState.LOAD))
            .orElse("0");
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException notANumber) {
      return 0;
    }
  }
}

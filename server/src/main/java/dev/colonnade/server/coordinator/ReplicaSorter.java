package dev.colonnade.server.coordinator;

import dev.colonnade.server.env.Clock;
import dev.colonnade.server.ring.RingNode;
import dev.colonnade.server.ring.Topology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Which replicas to ask first: this node itself, then those of the same rack, then those of the
 * same data centre; among equals who answered quickest lately, and among those the order of the
 * ring. Behind these come nodes that say of themselves that they are better not asked, and a node
 * that is far later than the others, wherever they stand; when the latter that is long ago one
 * question tries it, and others wait for how that goes.
 *
 * <p>Thread-safe.
 */
final class ReplicaSorter {

  /** Differences below this say more about chance than about nodes. */
  private static final long STEP_NANOS = 500_000;

  private static final long PATIENCE_FLOORS_MAX = 10;

  private record RankedReplica(
      RingNode node, boolean unfavourable, boolean late, int distance, long score) {}

  private static final Comparator<RankedReplica> NEAREST =
      Comparator.comparing(RankedReplica::unfavourable)
          .thenComparing(RankedReplica::late)
          .thenComparingInt(RankedReplica::distance)
          .thenComparingLong(RankedReplica::score);

  private final Clock clock;
  private final String selfId;
  private final long floorNanos;

  /** Never iterated, so that its order does not matter; as many as there were nodes. */
  private final ConcurrentMap<String, PeerLatency> latencies = new ConcurrentHashMap<>();

  /**
   * Nobody has answered yet.
   *
   * @param floorNanos answers that come sooner are not late whatever is usual
   */
  ReplicaSorter(Clock clock, String selfId, long floorNanos) {
    this.clock = clock;
    this.selfId = selfId;
    this.floorNanos = floorNanos;
  }

  /** The nodes, the nearest first. */
  List<RingNode> order(List<RingNode> nodes, Topology topology) {
    if (nodes.size() < 2) {
      return nodes;
    }
    long now = clock.monotonicNanos();
    RingNode self = topology.self();
    List<RankedReplica> places = new ArrayList<>(nodes.size());
    for (RingNode node : nodes) {
      PeerLatency latency = latencies.get(node.id());
      long score = latency == null ? 0 : latency.scoreNanos(now);
      boolean here = node.id().equals(selfId);
      boolean late = !here && latency != null && (score >= floorNanos || latency.isTried());
      places.add(
          new RankedReplica(
              node,
              !topology.isFavourable(node.id()),
              late,
              distance(node, self),
              score / STEP_NANOS));
    }
    places.sort(NEAREST);
    List<RingNode> ordered = new ArrayList<>(nodes.size());
    for (RankedReplica place : places) {
      ordered.add(place.node());
    }
    return ordered;
  }

  private int distance(RingNode node, RingNode self) {
    if (node.id().equals(selfId)) {
      return 0;
    }
    if (!node.datacenter().equals(self.datacenter())) {
      return 3;
    }
    return node.rack().equals(self.rack()) ? 1 : 2;
  }

  /** A node is asked something; {@link #over} follows. */
  void asked(RingNode node) {
    of(node).asked();
  }

  /** A question to a node has an answer, has failed, or was called off. */
  void over(RingNode node) {
    of(node).over();
  }

  /** A node answered. */
  void answered(RingNode node, long tookNanos) {
    of(node).record(tookNanos, clock.monotonicNanos());
  }

  /** A node has not answered for so long. */
  void late(RingNode node, long waitedNanos) {
    of(node).late(waitedNanos, clock.monotonicNanos());
  }

  /** After how long without an answer another replica is to be asked as well. */
  long patienceNanos(List<RingNode> asked) {
    long patience = floorNanos;
    for (RingNode node : asked) {
      patience = Math.max(patience, of(node).p99Nanos());
    }
    // Answers that came very late must not teach to wait for the next one as long.
    return Math.min(patience, PATIENCE_FLOORS_MAX * floorNanos);
  }

  private PeerLatency of(RingNode node) {
    return latencies.computeIfAbsent(node.id(), id -> new PeerLatency());
  }
}

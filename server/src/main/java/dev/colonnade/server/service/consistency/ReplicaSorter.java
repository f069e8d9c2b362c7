package dev.colonnade.server.service.consistency;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The dynamic snitch: sorts replicas by which to ask first.
 *
 * <ol>
 *   <li>this node itself
 *   <li>nodes of the same rack
 *   <li>nodes of the same data centre
 *   <li>all others
 * </ol>
 *
 * <p>Among equals the fastest recent answers come first, then the order of the ring. Behind all of
 * them, wherever they are, come nodes that announce that others should be preferred, and a node
 * that is far slower than the others. After a while a single request probes such a slow node;
 * others keep avoiding it until the probe returns.
 *
 * <p>Thread-safe.
 */
public final class ReplicaSorter {

  /** Smaller differences in latency are noise. */
  private static final long STEP_NANOS = 500_000;

  private static final long DELAY_FLOORS_MAX = 10;

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

  /**
   * By node id. Never iterated, so its order does not matter; grows with the number of nodes ever
   * known.
   */
  private final ConcurrentMap<String, PeerLatency> latencies = new ConcurrentHashMap<>();

  /**
   * Starts without any latency recorded.
   *
   * @param floorNanos answers that are faster than this are never late
   */
  public ReplicaSorter(Clock clock, String selfId, long floorNanos) {
    this.clock = clock;
    this.selfId = selfId;
    this.floorNanos = floorNanos;
  }

  /** Returns the nodes, the best first. */
  public List<RingNode> order(List<RingNode> nodes, Topology topology) {
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

  /** Records a request to a node; {@link #over} follows. */
  public void asked(RingNode node) {
    of(node).asked();
  }

  /** Records that a request was answered, failed, or was cancelled. */
  public void over(RingNode node) {
    of(node).over();
  }

  /** Records a node's answer. */
  public void answered(RingNode node, long tookNanos) {
    of(node).record(tookNanos, clock.monotonicNanos());
  }

  /** Records that a node has not answered for this long. */
  public void late(RingNode node, long waitedNanos) {
    of(node).late(waitedNanos, clock.monotonicNanos());
  }

  /** The hedge delay: how long to wait for these replicas before a spare is asked as well. */
  public long hedgeDelayNanos(List<RingNode> asked) {
    long delay = floorNanos;
    for (RingNode node : asked) {
      delay = Math.max(delay, of(node).p99Nanos());
    }
    // The delay is capped, so that very late answers do not make the next wait as long.
    return Math.min(delay, DELAY_FLOORS_MAX * floorNanos);
  }

  private PeerLatency of(RingNode node) {
    return latencies.computeIfAbsent(node.id(), id -> new PeerLatency());
  }
}

package dev.colonnade.server.cluster.gossip;

import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * All nodes of the cluster as this one knows them, at one moment, also those that are down. Nodes
 * that left or were removed stay in it until they are forgotten. Immutable.
 */
public final class Members {

  private final String selfId;
  private final List<Member> sorted;

  /** Wraps members sorted by id; the list must not change afterwards. */
  Members(String selfId, List<Member> sorted) {
    this.selfId = selfId;
    this.sorted = Collections.unmodifiableList(sorted);
  }

  /** All of them, this node included, sorted by id. */
  public List<Member> all() {
    return sorted;
  }

  /** Returns the node with that id. */
  public Optional<Member> byId(String id) {
    int low = 0;
    int high = sorted.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = sorted.get(middle).id().compareTo(id);
      if (order == 0) {
        return Optional.of(sorted.get(middle));
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return Optional.empty();
  }

  /** This node. */
  public Member self() {
    return byId(selfId).orElseThrow();
  }

  /**
   * Builds the topology from what these members announce. Nodes that know the same members build
   * the same ring; unusable values are left out. {@link LiveTopology} keeps the result for repeated
   * use.
   *
   * @param self this node, used if it announces no place on the ring
   * @param snitch decides where all nodes are
   * @param reports hears of what was left out and why
   */
  public Topology topology(RingNode self, EndpointSnitch snitch, Consumer<String> reports) {
    return TopologyBuilder.of(this, self, snitch, List.of(), reports);
  }

  /** Whether the node with that id is considered up. */
  public boolean isAlive(String id) {
    return byId(id).filter(Member::alive).isPresent();
  }
}

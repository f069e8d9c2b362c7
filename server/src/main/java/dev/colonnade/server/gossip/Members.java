package dev.colonnade.server.gossip;

import dev.colonnade.server.ring.RingNode;
import dev.colonnade.server.ring.Topology;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * All nodes of the cluster as this one knows them, at one moment, also those that are down. Those
 * that left or were removed stand in it until they are forgotten. Immutable.
 */
public final class Members {

  private final String selfId;
  private final List<Member> sorted;

  /** Of members sorted by id, which stay as they are from now on. */
  Members(String selfId, List<Member> sorted) {
    this.selfId = selfId;
    this.sorted = Collections.unmodifiableList(sorted);
  }

  /** All of them, this node included, sorted by id. */
  public List<Member> all() {
    return sorted;
  }

  /** The node of that id. */
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
   * Who owns what, as these members say. Everybody who knows the same members makes the same ring;
   * what cannot be used is left out. Where it is needed more than once, {@link LiveTopology} has
   * it.
   *
   * @param self this node where it does not say by gossip where it stands on the ring
   * @param snitch decides where all nodes stand
   * @param reports hears of what was left out and why
   */
  public Topology topology(RingNode self, EndpointSnitch snitch, Consumer<String> reports) {
    return TopologyBuilder.of(this, self, snitch, List.of(), reports);
  }

  /** Whether the node of that id is held to be up. */
  public boolean isAlive(String id) {
    return byId(id).filter(Member::alive).isPresent();
  }
}

package dev.colonnade.server.gossip;

import dev.colonnade.server.ring.RingNode;
import dev.colonnade.server.ring.Topology;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Consumer;

/**
 * All nodes of the cluster as this one knows them, at one moment, also those that are down. Those
 * that left or were removed stand in it until they are forgotten. Immutable.
 */
public final class Members {

  private final String selfId;
  private final SortedMap<String, Member> byId;

  Members(String selfId, SortedMap<String, Member> byId) {
    this.selfId = selfId;
    this.byId = Collections.unmodifiableSortedMap(byId);
  }

  /** All of them, this node included, sorted by id. */
  public List<Member> all() {
    return List.copyOf(byId.values());
  }

  /** The node of that id. */
  public Optional<Member> byId(String id) {
    return Optional.ofNullable(byId.get(id));
  }

  /** This node. */
  public Member self() {
    return Objects.requireNonNull(byId.get(selfId));
  }

  /**
   * Who owns what, as these members say. Everybody who knows the same members makes the same ring;
   * what cannot be used is left out. Where it is needed more than once, {@link LiveTopology} has
   * it.
   *
   * @param self this node where it does not say by gossip where it stands on the ring
   * @param locations decides where all nodes stand
   * @param reports hears of what was left out and why
   */
  public Topology topology(RingNode self, Locations locations, Consumer<String> reports) {
    return RingPlan.of(this, self, locations, reports);
  }

  /** Whether the node of that id is held to be up. */
  public boolean isAlive(String id) {
    Member member = byId.get(id);
    return member != null && member.alive();
  }
}

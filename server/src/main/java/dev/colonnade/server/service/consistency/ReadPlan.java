package dev.colonnade.server.service.consistency;

import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.cluster.ring.Owners;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import java.util.ArrayList;
import java.util.List;

/**
 * The replicas that a read asks. Pure.
 *
 * <p>While nodes are about to own a row, a quorum read requires one more answer for each such node,
 * as writes do. What it returns is then on enough nodes, whichever of the two sets of owners the
 * next read uses.
 *
 * @param alive owners that are up and answer reads, closest first; then, at such levels, the nodes
 *     that are about to own the row
 * @param asked as many of them as the level requires
 * @param spares the rest of those that could replace one of these, closest first
 */
public record ReadPlan(
    Consistency consistency,
    ConsistencyRequirement requirement,
    List<RingNode> alive,
    List<RingNode> asked,
    List<RingNode> spares) {

  /** The plan for the rows with this token, or for a range with the same owners. */
  public static ReadPlan of(
      Consistency consistency,
      Keyspace keyspace,
      Topology topology,
      byte[] token,
      ReplicaSorter sorter) {
    return of(consistency, keyspace, topology, topology.placement(keyspace).owners(token), sorter);
  }

  /** Whether the owners that are up can meet the level, as far as is known. */
  public static boolean isMet(
      Consistency consistency, Keyspace keyspace, Topology topology, Owners owners) {
    ConsistencyRequirement requirement =
        ConsistencyRequirement.of(consistency, keyspace, topology.self().datacenter());
    List<RingNode> alive = alive(topology, owners.replicas());
    if (isOfQuorums(consistency) && !owners.pending().isEmpty() && requirement.isMet(alive)) {
      List<RingNode> pending = alive(topology, owners.pending());
      alive.addAll(pending);
      requirement = requirement.plus(pending);
    }
    return requirement.isMet(alive);
  }

  /** The plan for data with these owners. */
  public static ReadPlan of(
      Consistency consistency,
      Keyspace keyspace,
      Topology topology,
      Owners its,
      ReplicaSorter sorter) {
    ConsistencyRequirement requirement =
        ConsistencyRequirement.of(consistency, keyspace, topology.self().datacenter());
    List<RingNode> owners = sorter.order(alive(topology, its.replicas()), topology);
    if (!isOfQuorums(consistency) || its.pending().isEmpty() || !requirement.isMet(owners)) {
      return of(consistency, requirement, owners);
    }
    List<RingNode> pending = alive(topology, its.pending());
    List<RingNode> all = new ArrayList<>(owners);
    all.addAll(pending);
    return of(consistency, requirement.plus(pending), all);
  }

  private static List<RingNode> alive(Topology topology, List<RingNode> nodes) {
    List<RingNode> alive = new ArrayList<>(nodes.size());
    for (RingNode node : nodes) {
      if (topology.takesReads(node.id())) {
        alive.add(node);
      }
    }
    return alive;
  }

  private static boolean isOfQuorums(Consistency consistency) {
    return switch (consistency) {
      case QUORUM, LOCAL_QUORUM, EACH_QUORUM, ALL -> true;
      case ZERO, ANY, ONE, TWO, THREE -> false;
    };
  }

  /** The plan for these replicas, closest first. */
  static ReadPlan of(
      Consistency consistency, ConsistencyRequirement requirement, List<RingNode> alive) {
    List<RingNode> asked = requirement.firstOf(alive);
    List<RingNode> spares = new ArrayList<>();
    for (RingNode node : alive) {
      if (!contains(asked, node) && requirement.counted(List.of(node)) > 0) {
        spares.add(node);
      }
    }
    return new ReadPlan(consistency, requirement, alive, asked, spares);
  }

  /** A plan that asks all replicas that are up and requires all of them to answer. */
  public ReadPlan ofAll() {
    return of(
        consistency,
        new ConsistencyRequirement(
            List.of(new ConsistencyRequirement.BlockFor(null, alive.size()))),
        alive);
  }

  /** The same plan without this node. */
  public ReadPlan without(RingNode left) {
    List<RingNode> rest = new ArrayList<>(alive);
    rest.removeIf(node -> node.id().equals(left.id()));
    return of(consistency, requirement, rest);
  }

  /** The replicas other than these that could replace one of them. */
  public List<RingNode> othersThan(List<RingNode> nodes) {
    List<RingNode> others = new ArrayList<>();
    for (RingNode node : alive) {
      if (!contains(nodes, node) && requirement.counted(List.of(node)) > 0) {
        others.add(node);
      }
    }
    return others;
  }

  private static boolean contains(List<RingNode> nodes, RingNode wanted) {
    for (RingNode node : nodes) {
      if (node.id().equals(wanted.id())) {
        return true;
      }
    }
    return false;
  }

  public boolean isMet() {
    return requirement.isMet(alive);
  }

  /** The plan for people, without the nodes' names. */
  public String inWords() {
    return consistency
        + ": "
        + requirement.required()
        + " must answer, "
        + alive.size()
        + " are up, "
        + asked.size()
        + " asked at first";
  }

  /** Whether only this node's store has to be asked. */
  boolean isHereOnly(String selfId) {
    return asked.size() == 1 && asked.get(0).id().equals(selfId);
  }

  /**
   * Whether two reads at this level need not share a replica, so that other replicas may be stale.
   */
  public boolean isWeak(Keyspace keyspace) {
    return requirement.required() < keyspace.replicationFactor() / 2 + 1;
  }

  public CoordinationException.NotEnoughReplicas refusal() {
    return new CoordinationException.NotEnoughReplicas(
        consistency, requirement.required(), requirement.counted(alive));
  }
}

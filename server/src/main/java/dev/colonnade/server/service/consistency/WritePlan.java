package dev.colonnade.server.service.consistency;

import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.cluster.ring.Owners;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.storage.mutation.Mutation;
import java.util.ArrayList;
import java.util.List;

/**
 * The replicas that one row's changes go to. Pure.
 *
 * @param requirement what the level requires, nodes that are about to own the row included
 * @param alive the present and future owners that are up and accept writes
 * @param dead the other owners, which get hints
 */
public record WritePlan(
    Mutation mutation,
    Consistency consistency,
    ConsistencyRequirement requirement,
    List<RingNode> alive,
    List<RingNode> dead) {

  /** Plans a write from the present topology. */
  public static WritePlan of(
      Mutation mutation, Consistency consistency, Keyspace keyspace, Topology topology) {
    Owners its = topology.placement(keyspace).owners(mutation.key().token());
    List<RingNode> owners = its.replicas();
    List<RingNode> pending = its.pending();
    List<RingNode> alive = new ArrayList<>(owners.size() + pending.size());
    List<RingNode> dead = new ArrayList<>();
    for (List<RingNode> nodes : List.of(owners, pending)) {
      for (RingNode node : nodes) {
        (topology.takesWrites(node.id()) ? alive : dead).add(node);
      }
    }
    ConsistencyRequirement requirement =
        ConsistencyRequirement.of(consistency, keyspace, topology.self().datacenter());
    // A hint is enough for ANY and nothing is required for ZERO: neither guarantees anything about
    // owners.
    boolean countsOwners = consistency != Consistency.ANY && consistency != Consistency.ZERO;
    return new WritePlan(
        mutation, consistency, countsOwners ? requirement.plus(pending) : requirement, alive, dead);
  }

  /**
   * Whether the level can be met, as far as is known.
   *
   * @param hintsCount whether hints are enabled; they count for ANY only
   */
  public boolean isMet(boolean hintsCount) {
    return (consistency == Consistency.ANY && hintsCount) || requirement.isMet(alive);
  }

  /** Whether this node's store is the only one to write to. */
  public boolean isHereOnly(String selfId) {
    return dead.isEmpty() && alive.size() == 1 && alive.get(0).id().equals(selfId);
  }

  /** The plan for people, without the nodes' names. */
  public String inWords() {
    return consistency
        + ": "
        + requirement.required()
        + " must answer, "
        + alive.size()
        + " are up, "
        + dead.size()
        + " down";
  }

  public CoordinationException.NotEnoughReplicas refusal() {
    return new CoordinationException.NotEnoughReplicas(
        consistency, requirement.required(), requirement.counted(alive));
  }
}

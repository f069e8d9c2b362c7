package dev.colonnade.server.coordinator;

import dev.colonnade.server.engine.Mutation;
import dev.colonnade.server.ring.Owners;
import dev.colonnade.server.ring.RingNode;
import dev.colonnade.server.ring.Topology;
import dev.colonnade.server.schema.Keyspace;
import java.util.ArrayList;
import java.util.List;

/**
 * Where one row's changes go. Pure.
 *
 * @param requirement what the level wants, nodes that are about to own the row included
 * @param alive of the present and coming owners those that are held to be up and take writes
 * @param dead the others, which get their writes later
 */
record WritePlan(
    Mutation mutation,
    Consistency consistency,
    ConsistencyRequirement requirement,
    List<RingNode> alive,
    List<RingNode> dead) {

  /** Decides by the cluster as it is now. */
  static WritePlan of(
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
    // A hint is enough for ANY, and nothing for ZERO: neither promises anything of owners.
    boolean countsOwners = consistency != Consistency.ANY && consistency != Consistency.ZERO;
    return new WritePlan(
        mutation, consistency, countsOwners ? requirement.plus(pending) : requirement, alive, dead);
  }

  /**
   * Whether the level can be met, as far as is known.
   *
   * @param hintsCount whether hints are taken; they count for ANY alone
   */
  boolean isMet(boolean hintsCount) {
    return (consistency == Consistency.ANY && hintsCount) || requirement.isMet(alive);
  }

  /** Whether this node's store is the only one to write to. */
  boolean isHereOnly(String selfId) {
    return dead.isEmpty() && alive.size() == 1 && alive.get(0).id().equals(selfId);
  }

  CoordinationException.NotEnoughReplicas refusal() {
    return new CoordinationException.NotEnoughReplicas(
        consistency, requirement.required(), requirement.counted(alive));
  }
}

package dev.colonnade.server.node;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.cluster.gossip.Member;
import dev.colonnade.server.cluster.gossip.NodeStatus;
import dev.colonnade.server.cluster.hints.HintContext;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.ring.ReplicaPlacement;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.storage.mutation.Mutation;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What hints need to know of the cluster, from gossip and the schema. Thread-safe.
 *
 * @param owners writes a row's changes to its present owners
 */
record ClusterHintContext(
    LiveCluster cluster,
    Supplier<Schema> schema,
    Function<Mutation, CompletableFuture<Void>> owners)
    implements HintContext {

  @Override
  public Optional<Peer> reach(String nodeId) {
    return cluster
        .members()
        .byId(nodeId)
        .filter(member -> member.alive() && member.impact().takesWrites())
        .map(Member::peer);
  }

  @Override
  public boolean isGone(String nodeId) {
    return cluster
        .members()
        .byId(nodeId)
        .flatMap(Member::status)
        .map(NodeStatus::departed)
        .orElse(false);
  }

  @Override
  public OptionalLong gcGraceSeconds(FamilyId family) {
    ColumnFamily known = schema.get().families().get(family);
    return known == null ? OptionalLong.empty() : OptionalLong.of(known.options().gcGraceSeconds());
  }

  @Override
  public long truncation(FamilyId family) {
    ColumnFamily known = schema.get().families().get(family);
    return known == null ? 0 : known.truncation();
  }

  @Override
  public boolean isReplica(String nodeId, FamilyId family, RowKey key) {
    ColumnFamily known = schema.get().families().get(family);
    Keyspace keyspace = known == null ? null : schema.get().keyspace(known.keyspace()).orElse(null);
    if (keyspace == null) {
      return false;
    }
    Topology topology = cluster.topology();
    ReplicaPlacement placement = ReplicaPlacement.of(keyspace, topology.self());
    return contains(topology.replicas(placement, key.token()), nodeId)
        || contains(topology.pending(placement, key.token()), nodeId);
  }

  private static boolean contains(List<RingNode> nodes, String id) {
    return nodes.stream().anyMatch(node -> node.id().equals(id));
  }

  @Override
  public CompletableFuture<Void> handOver(Mutation mutation) {
    return owners.apply(mutation);
  }
}

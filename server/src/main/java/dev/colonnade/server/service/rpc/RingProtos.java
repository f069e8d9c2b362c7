package dev.colonnade.server.service.rpc;

import dev.colonnade.admin.v1.Endpoint;
import dev.colonnade.admin.v1.Liveness;
import dev.colonnade.admin.v1.NodeState;
import dev.colonnade.server.cluster.hints.HintFigures;
import dev.colonnade.server.cluster.ring.Ring;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.admin.ClusterOperations;
import dev.colonnade.server.service.admin.MemberFigures;
import dev.colonnade.server.service.consistency.ClusterView;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts nodes and ranges to the protocol's messages. Thread-safe. */
final class RingProtos {

  private static final int TOKEN_BYTES = 16;

  /** The number of tokens of a hashing partitioner; the built-in one ranges from 0 to 2^127. */
  private static final double HASH_TOKENS = 0x1.0p127;

  private final ClusterView cluster;
  private final ClusterOperations operations;

  RingProtos(ClusterView cluster, ClusterOperations operations) {
    this.cluster = cluster;
    this.operations = operations;
  }

  static Endpoint endpoint(RingNode node) {
    return Endpoint.newBuilder()
        .setNodeId(node.id())
        .setAddress(node.address())
        .setClientPort(node.clientPort())
        .setPeerPort(node.peerPort())
        .setDatacenter(node.datacenter())
        .setRack(node.rack())
        .build();
  }

  dev.colonnade.admin.v1.TokenRange range(TokenRange range, List<RingNode> replicas) {
    dev.colonnade.admin.v1.TokenRange.Builder message =
        dev.colonnade.admin.v1.TokenRange.newBuilder()
            .setStartToken(cluster.partitioner().printToken(range.start()))
            .setEndToken(cluster.partitioner().printToken(range.end()));
    replicas.forEach(node -> message.addEndpoints(endpoint(node)));
    return message.build();
  }

  /** All nodes of a topology as this one sees them. */
  List<dev.colonnade.admin.v1.RingNode> nodes(Topology topology) {
    Map<String, MemberFigures> members = new HashMap<>();
    operations.members().forEach(member -> members.put(member.nodeId(), member));
    Map<String, Long> hints = new HashMap<>();
    for (HintFigures queue : operations.hints()) {
      hints.put(queue.targetId(), queue.hints());
    }
    Map<String, Double> owns = owns(topology.ring());
    List<dev.colonnade.admin.v1.RingNode> nodes = new ArrayList<>();
    for (Topology.Place place : topology.places()) {
      String id = place.node().id();
      nodes.add(
          node(place, members.get(id)).toBuilder()
              .setHintsPending(hints.getOrDefault(id, 0L))
              .setOwns(owns.getOrDefault(id, 0.0))
              .build());
    }
    return nodes;
  }

  /** This node as it sees itself. */
  dev.colonnade.admin.v1.RingNode self(Topology topology) {
    return nodes(topology).stream()
        .filter(node -> node.getEndpoint().getNodeId().equals(topology.self().id()))
        .findFirst()
        .orElseGet(
            () ->
                dev.colonnade.admin.v1.RingNode.newBuilder()
                    .setEndpoint(endpoint(topology.self()))
                    .setLiveness(Liveness.LIVENESS_UP)
                    .build());
  }

  private dev.colonnade.admin.v1.RingNode node(
      Topology.Place place, @Nullable MemberFigures member) {
    dev.colonnade.admin.v1.RingNode.Builder message =
        dev.colonnade.admin.v1.RingNode.newBuilder()
            .setEndpoint(endpoint(place.node()))
            .setState(state(place.state()));
    for (byte[] token : place.node().tokens()) {
      message.addTokens(cluster.partitioner().printToken(token));
    }
    if (member == null) {
      return message
          .setLiveness(place.alive() ? Liveness.LIVENESS_UP : Liveness.LIVENESS_DOWN)
          .build();
    }
    return message
        .setLiveness(liveness(member.liveness()))
        .setPhi(member.phi())
        .setLoadBytes(member.loadBytes())
        .setSchemaVersion(member.schemaVersion())
        .build();
  }

  private static NodeState state(Topology.RingState state) {
    return switch (state) {
      case NORMAL -> NodeState.NODE_STATE_NORMAL;
      case JOINING -> NodeState.NODE_STATE_JOINING;
      case LEAVING -> NodeState.NODE_STATE_LEAVING;
      case MOVING -> NodeState.NODE_STATE_MOVING;
    };
  }

  static Liveness liveness(MemberFigures.Liveness liveness) {
    return switch (liveness) {
      case UP -> Liveness.LIVENESS_UP;
      case SUSPECT -> Liveness.LIVENESS_SUSPECT;
      case DOWN -> Liveness.LIVENESS_DOWN;
    };
  }

  /**
   * The share of the ring that each node owns. A single node owns everything; if tokens are not
   * spread evenly, shares are meaningless and left out.
   */
  private Map<String, Double> owns(Ring ring) {
    if (ring.nodes().size() == 1) {
      return Map.of(ring.nodes().get(0).id(), 1.0);
    }
    if (cluster.partitioner().preservesOrder()) {
      return Map.of();
    }
    Map<String, Double> owned = new HashMap<>();
    for (TokenRange range : ring.ranges()) {
      double width = (position(range.end()) - position(range.start())) / HASH_TOKENS;
      owned.merge(
          ring.primaryFor(range.end()).id(), width > 0 ? width : width + 1, (a, b) -> a + b);
    }
    return owned;
  }

  private static double position(byte[] token) {
    return new BigInteger(1, Arrays.copyOf(token, TOKEN_BYTES)).doubleValue();
  }
}

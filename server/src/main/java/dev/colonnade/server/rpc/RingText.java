package dev.colonnade.server.rpc;

import dev.colonnade.admin.v1.Endpoint;
import dev.colonnade.admin.v1.Liveness;
import dev.colonnade.admin.v1.NodeState;
import dev.colonnade.server.coordinator.ClusterView;
import dev.colonnade.server.coordinator.NodeOperations;
import dev.colonnade.server.coordinator.SchemaStore;
import dev.colonnade.server.ring.Ring;
import dev.colonnade.server.ring.RingNode;
import dev.colonnade.server.ring.TokenRange;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;

/** Nodes and ranges as the protocol's messages. Thread-safe. */
final class RingText {

  private static final int TOKEN_BYTES = 16;

  /** How many tokens a partitioner that hashes has; the built-in one goes from 0 to 2^127. */
  private static final double HASH_TOKENS = 0x1.0p127;

  private final ClusterView cluster;
  private final SchemaStore schemas;
  private final NodeOperations operations;

  RingText(ClusterView cluster, SchemaStore schemas, NodeOperations operations) {
    this.cluster = cluster;
    this.schemas = schemas;
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

  /** A node as this one sees it; its own figures are only known of itself. */
  dev.colonnade.admin.v1.RingNode node(RingNode node, Ring ring) {
    dev.colonnade.admin.v1.RingNode.Builder message =
        dev.colonnade.admin.v1.RingNode.newBuilder()
            .setEndpoint(endpoint(node))
            .setState(NodeState.NODE_STATE_NORMAL)
            .setOwns(owns(node, ring));
    node.tokens().forEach(token -> message.addTokens(cluster.partitioner().printToken(token)));
    if (node.id().equals(cluster.nodeId())) {
      message
          .setLiveness(Liveness.LIVENESS_UP)
          .setLoadBytes(operations.node().loadBytes())
          .setSchemaVersion(schemas.current().version());
    }
    return message.build();
  }

  /**
   * A node alone owns everything; where tokens are not spread evenly a share of them means nothing.
   */
  private double owns(RingNode node, Ring ring) {
    if (ring.nodes().size() == 1) {
      return 1;
    }
    if (cluster.partitioner().preservesOrder()) {
      return 0;
    }
    double owned = 0;
    for (TokenRange range : ring.ranges()) {
      if (ring.primaryFor(range.end()).id().equals(node.id())) {
        double width = (position(range.end()) - position(range.start())) / HASH_TOKENS;
        owned += width > 0 ? width : width + 1;
      }
    }
    return owned;
  }

  private static double position(byte[] token) {
    return new BigInteger(1, Arrays.copyOf(token, TOKEN_BYTES)).doubleValue();
  }
}

package dev.colonnade.server.rpc;

import dev.colonnade.admin.v1.ClusterServiceGrpc;
import dev.colonnade.admin.v1.DescribeClusterRequest;
import dev.colonnade.admin.v1.DescribeClusterResponse;
import dev.colonnade.admin.v1.DescribeRingRequest;
import dev.colonnade.admin.v1.DescribeRingResponse;
import dev.colonnade.admin.v1.GetEndpointsRequest;
import dev.colonnade.admin.v1.GetEndpointsResponse;
import dev.colonnade.server.coordinator.ClusterView;
import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.ring.ReplicaPlacement;
import dev.colonnade.server.ring.Ring;
import dev.colonnade.server.ring.RingNode;
import dev.colonnade.server.ring.TokenRange;
import dev.colonnade.server.schema.Keyspace;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;

/** What the cluster is and who owns what. Thread-safe. */
final class ClusterCalls extends ClusterServiceGrpc.ClusterServiceImplBase {

  /** The contract's version, which clients can compare. */
  private static final String API_VERSION = "1";

  private final ClusterView cluster;
  private final RingText ringText;
  private final CallParts parts;

  ClusterCalls(ClusterView cluster, RingText ringText, CallParts parts) {
    this.cluster = cluster;
    this.ringText = ringText;
    this.parts = parts;
  }

  @Override
  public void describeCluster(
      DescribeClusterRequest request, StreamObserver<DescribeClusterResponse> observer) {
    parts.read(
        observer,
        () ->
            CompletableFuture.completedFuture(
                DescribeClusterResponse.newBuilder()
                    .setClusterName(cluster.clusterName())
                    .setPartitioner(cluster.partitioner().name())
                    .setSnitch(cluster.snitch())
                    .setApiVersion(API_VERSION)
                    .setServerVersion(cluster.serverVersion())
                    .build()));
  }

  @Override
  public void describeRing(
      DescribeRingRequest request, StreamObserver<DescribeRingResponse> observer) {
    parts.read(
        observer,
        () -> {
          Ring ring = cluster.ring();
          DescribeRingResponse.Builder response = DescribeRingResponse.newBuilder();
          if (!request.getKeyspace().isEmpty()) {
            ReplicaPlacement placement = placement(request.getKeyspace());
            for (TokenRange range : ring.ranges()) {
              response.addRanges(ringText.range(range, placement.replicas(ring, range.end())));
            }
          }
          for (RingNode node : ring.nodes()) {
            response.addNodes(ringText.node(node, ring));
          }
          return CompletableFuture.completedFuture(response.build());
        });
  }

  @Override
  public void getEndpoints(
      GetEndpointsRequest request, StreamObserver<GetEndpointsResponse> observer) {
    parts.read(
        observer,
        () -> {
          ReplicaPlacement placement = placement(request.getKeyspace());
          RowKey key = parts.rules().key("key", request.getKey());
          GetEndpointsResponse.Builder response =
              GetEndpointsResponse.newBuilder()
                  .setToken(cluster.partitioner().printToken(key.token()));
          for (RingNode node : placement.replicas(cluster.ring(), key.token())) {
            response.addEndpoints(RingText.endpoint(node));
          }
          return CompletableFuture.completedFuture(response.build());
        });
  }

  private ReplicaPlacement placement(String name) {
    Keyspace keyspace = parts.rules().keyspace(name);
    if (keyspace.isSystem()) {
      throw Refusal.invalid(
          "keyspace", "the keyspace system is each node's own and has no place on the ring");
    }
    return ReplicaPlacement.of(keyspace, cluster.self());
  }
}

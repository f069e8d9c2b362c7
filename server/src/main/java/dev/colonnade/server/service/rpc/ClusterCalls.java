package dev.colonnade.server.service.rpc;

import dev.colonnade.admin.v1.ClusterServiceGrpc;
import dev.colonnade.admin.v1.DescribeClusterRequest;
import dev.colonnade.admin.v1.DescribeClusterResponse;
import dev.colonnade.admin.v1.DescribeRingRequest;
import dev.colonnade.admin.v1.DescribeRingResponse;
import dev.colonnade.admin.v1.DescribeSplitsRequest;
import dev.colonnade.admin.v1.DescribeSplitsResponse;
import dev.colonnade.admin.v1.GetEndpointsRequest;
import dev.colonnade.admin.v1.GetEndpointsResponse;
import dev.colonnade.admin.v1.WatchRingRequest;
import dev.colonnade.admin.v1.WatchRingResponse;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.cluster.ring.ReplicaPlacement;
import dev.colonnade.server.cluster.ring.Ring;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.admin.ClusterOperations;
import dev.colonnade.server.service.admin.KeySplit;
import dev.colonnade.server.service.consistency.ClusterView;
import dev.colonnade.server.service.consistency.CoordinationException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Serves calls about the cluster, its ring and its owners. Thread-safe. */
final class ClusterCalls extends ClusterServiceGrpc.ClusterServiceImplBase {

  /** The contract's version, which clients can compare. */
  private static final String API_VERSION = "1";

  /** The default of earlier tools that split a family for jobs. */
  private static final int DEFAULT_KEYS_PER_SPLIT = 65_536;

  private final ClusterView cluster;
  private final ClusterOperations operations;
  private final RingProtos ringText;
  private final RpcContext rpc;
  private final Set<RingWatch> watches = ConcurrentHashMap.newKeySet();
  private volatile boolean stopping;

  ClusterCalls(
      ClusterView cluster, ClusterOperations operations, RingProtos ringText, RpcContext rpc) {
    this.cluster = cluster;
    this.operations = operations;
    this.ringText = ringText;
    this.rpc = rpc;
  }

  /** Ends calls that would never end by themselves. */
  void stop() {
    stopping = true;
    watches.forEach(watch -> watch.end(nodeStops()));
  }

  private static RuntimeException nodeStops() {
    return new CoordinationException.NodeNotReady("the node is stopping; use another one");
  }

  @Override
  public void describeCluster(
      DescribeClusterRequest request, StreamObserver<DescribeClusterResponse> observer) {
    rpc.read(
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
    rpc.read(
        observer,
        () -> {
          Topology topology = cluster.topology();
          Ring ring = topology.ring();
          DescribeRingResponse.Builder response = DescribeRingResponse.newBuilder();
          if (!request.getKeyspace().isEmpty()) {
            ReplicaPlacement placement = placement(request.getKeyspace());
            for (TokenRange range : ring.ranges()) {
              response.addRanges(ringText.range(range, placement.replicas(ring, range.end())));
            }
          }
          response.addAllNodes(ringText.nodes(topology));
          return CompletableFuture.completedFuture(response.build());
        });
  }

  @Override
  public void getEndpoints(
      GetEndpointsRequest request, StreamObserver<GetEndpointsResponse> observer) {
    rpc.read(
        observer,
        () -> {
          ReplicaPlacement placement = placement(request.getKeyspace());
          RowKey key = rpc.rules().key("key", request.getKey());
          GetEndpointsResponse.Builder response =
              GetEndpointsResponse.newBuilder()
                  .setToken(cluster.partitioner().printToken(key.token()));
          for (RingNode node : placement.replicas(cluster.ring(), key.token())) {
            response.addEndpoints(RingProtos.endpoint(node));
          }
          return CompletableFuture.completedFuture(response.build());
        });
  }

  @Override
  public void watchRing(WatchRingRequest request, StreamObserver<WatchRingResponse> observer) {
    AtomicReference<@Nullable RingWatch> begun = new AtomicReference<>();
    RingWatch watch =
        RingWatch.start(
            (ServerCallStreamObserver<WatchRingResponse>) observer,
            () -> ringText.nodes(cluster.topology()),
            operations,
            rpc.errors(),
            () -> forget(begun.get()));
    begun.set(watch);
    watches.add(watch);
    if (stopping) {
      watch.end(nodeStops());
    }
    if (((ServerCallStreamObserver<WatchRingResponse>) observer).isCancelled()) {
      forget(watch);
    }
  }

  private void forget(@Nullable RingWatch watch) {
    if (watch != null) {
      watches.remove(watch);
    }
  }

  @Override
  public void describeSplits(
      DescribeSplitsRequest request, StreamObserver<DescribeSplitsResponse> observer) {
    List<SplitStream.RangeSplitter> pieces;
    try {
      pieces = pieces(request);
    } catch (RuntimeException e) {
      observer.onError(rpc.errors().ofRead(e));
      return;
    }
    SplitStream.start(
        (ServerCallStreamObserver<DescribeSplitsResponse>) observer, pieces, rpc.errors());
  }

  private List<SplitStream.RangeSplitter> pieces(DescribeSplitsRequest request) {
    ReplicaPlacement placement = placement(request.getKeyspace());
    ColumnFamily family =
        rpc.rules()
            .family(
                rpc.rules().keyspace(request.getKeyspace()),
                "column_family",
                request.getColumnFamily());
    if (request.getKeysPerSplit() < 0) {
      throw RequestRefusal.invalid(
          "keys_per_split", "a range has 1 key or more; got " + request.getKeysPerSplit());
    }
    int keys = request.getKeysPerSplit() == 0 ? DEFAULT_KEYS_PER_SPLIT : request.getKeysPerSplit();
    Ring ring = cluster.ring();
    List<TokenRange> ranges =
        request.hasWithin()
            ? RingParts.within(
                ring,
                new TokenRange(
                    rpc.keyRanges()
                        .token("within.start_token", request.getWithin().getStartToken()),
                    rpc.keyRanges().token("within.end_token", request.getWithin().getEndToken())))
            : ring.ranges();
    List<SplitStream.RangeSplitter> pieces = new ArrayList<>();
    for (TokenRange range : ranges) {
      List<RingNode> replicas = placement.replicas(ring, range.end());
      pieces.add(() -> splits(family, range, replicas, keys));
    }
    return pieces;
  }

  private CompletableFuture<List<DescribeSplitsResponse>> splits(
      ColumnFamily family, TokenRange range, List<RingNode> replicas, int keys) {
    boolean here = replicas.stream().anyMatch(node -> node.id().equals(cluster.nodeId()));
    CompletableFuture<List<KeySplit>> found =
        here
            ? operations.splits(family, range, keys)
            : CompletableFuture.completedFuture(List.of(new KeySplit(range, 0, 0)));
    CompletableFuture<List<DescribeSplitsResponse>> answer =
        found.thenApply(splits -> splits.stream().map(split -> message(split, replicas)).toList());
    Then.whenDone(
        answer,
        (done, failure) -> {
          if (answer.isCancelled()) {
            found.cancel(false);
          }
        });
    return answer;
  }

  private DescribeSplitsResponse message(KeySplit split, List<RingNode> replicas) {
    return DescribeSplitsResponse.newBuilder()
        .setRange(ringText.range(split.range(), replicas))
        .setEstimatedKeys(split.keys())
        .setEstimatedBytes(split.bytes())
        .build();
  }

  private ReplicaPlacement placement(String name) {
    Keyspace keyspace = rpc.rules().keyspace(name);
    if (keyspace.isSystem()) {
      throw RequestRefusal.invalid(
          "keyspace", "the keyspace system is each node's own and has no place on the ring");
    }
    return ReplicaPlacement.of(keyspace, cluster.self());
  }
}

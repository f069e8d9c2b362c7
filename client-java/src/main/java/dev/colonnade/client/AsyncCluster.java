package dev.colonnade.client;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.ClusterServiceGrpc;
import dev.colonnade.admin.v1.DescribeClusterRequest;
import dev.colonnade.admin.v1.DescribeRingRequest;
import dev.colonnade.admin.v1.DescribeSchemaVersionsRequest;
import dev.colonnade.admin.v1.DescribeSplitsRequest;
import dev.colonnade.admin.v1.DescribeSplitsResponse;
import dev.colonnade.admin.v1.GetEndpointsRequest;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.admin.v1.TokenRange;
import dev.colonnade.admin.v1.WatchRingRequest;
import dev.colonnade.admin.v1.WatchRingResponse;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * {@link Cluster} with futures. They fail with the exceptions that the waiting methods throw, and
 * cancelling one ends its call. Thread-safe.
 */
public final class AsyncCluster {

  /** How long the ring may stay unchanged. */
  private static final Duration WATCH_DEADLINE = Duration.ofDays(3650);

  private final Transport transport;
  private final CallOptions options;

  /** For streams. */
  private final Channel channel;

  AsyncCluster(Transport transport, CallOptions options) {
    this(transport, options, transport.channel());
  }

  private AsyncCluster(Transport transport, CallOptions options, Channel channel) {
    this.transport = transport;
    this.options = options;
    this.channel = channel;
  }

  AsyncCluster with(CallOptions other) {
    return new AsyncCluster(transport, other, channel);
  }

  /** The same, whose streams go to one of these nodes after the other. */
  AsyncCluster at(List<Endpoint> endpoints) {
    return new AsyncCluster(transport, options, transport.channel(endpoints));
  }

  /** Makes the nodes of a ring known to the client. */
  void learn(Ring ring) {
    transport.learn(ring);
  }

  /** As {@link Cluster#describe}. */
  public CompletableFuture<ClusterDescription> describe() {
    return call(
        ClusterServiceGrpc.getDescribeClusterMethod(),
        DescribeClusterRequest.getDefaultInstance(),
        answer ->
            new ClusterDescription(
                answer.getClusterName(),
                answer.getPartitioner(),
                answer.getSnitch(),
                answer.getApiVersion(),
                answer.getServerVersion()));
  }

  /** As {@link Cluster#ring}. */
  public CompletableFuture<Ring> ring(String keyspace) {
    return call(
        ClusterServiceGrpc.getDescribeRingMethod(),
        DescribeRingRequest.newBuilder().setKeyspace(keyspace).build(),
        answer ->
            new Ring(
                answer.getRangesList().stream().map(RingRange::of).toList(),
                answer.getNodesList().stream().map(RingNode::of).toList()));
  }

  /** As {@link Cluster#endpoints}. */
  public CompletableFuture<KeyEndpoints> endpoints(String keyspace, byte[] key) {
    return call(
        ClusterServiceGrpc.getGetEndpointsMethod(),
        GetEndpointsRequest.newBuilder()
            .setKeyspace(keyspace)
            .setKey(ByteString.copyFrom(key))
            .build(),
        answer ->
            new KeyEndpoints(
                answer.getToken(), answer.getEndpointsList().stream().map(Endpoint::of).toList()));
  }

  /** As {@link Cluster#schemaVersions}. */
  public CompletableFuture<SchemaVersions> schemaVersions() {
    return call(
        SchemaServiceGrpc.getDescribeSchemaVersionsMethod(),
        DescribeSchemaVersionsRequest.getDefaultInstance(),
        answer ->
            new SchemaVersions(
                answer.getVersionsList().stream()
                    .map(
                        each ->
                            new SchemaVersions.Version(each.getVersion(), each.getNodeIdsList()))
                    .toList(),
                answer.getAgreed()));
  }

  /** As {@link Cluster#splits(String, String, int)}. */
  public AsyncCursor<Split> splits(String keyspace, String family, int keysPerSplit) {
    return splits(
        DescribeSplitsRequest.newBuilder()
            .setKeyspace(keyspace)
            .setColumnFamily(family)
            .setKeysPerSplit(keysPerSplit)
            .build());
  }

  /** As {@link Cluster#splits(String, String, int, RingRange)}. */
  public AsyncCursor<Split> splits(
      String keyspace, String family, int keysPerSplit, RingRange within) {
    return splits(
        DescribeSplitsRequest.newBuilder()
            .setKeyspace(keyspace)
            .setColumnFamily(family)
            .setKeysPerSplit(keysPerSplit)
            .setWithin(
                TokenRange.newBuilder()
                    .setStartToken(within.startToken())
                    .setEndToken(within.endToken()))
            .build());
  }

  private AsyncCursor<Split> splits(DescribeSplitsRequest request) {
    ChunkStream<DescribeSplitsRequest, DescribeSplitsResponse> answers =
        new ChunkStream<>(
            channel,
            new ChunkStream.Protocol<>(
                ClusterServiceGrpc.getDescribeSplitsMethod(), token -> request, answer -> ""),
            options.deadline(),
            0);
    return new AsyncCursor<>(
        () ->
            Transport.<@Nullable DescribeSplitsResponse, @Nullable List<Split>>map(
                answers.next(), answer -> answer == null ? null : List.of(Split.of(answer))),
        answers::close);
  }

  /** As {@link Cluster#watchRing}. */
  public AsyncCursor<List<RingNode>> watchRing() {
    return watchRing(channel);
  }

  /** The ring and its changes, as a node of this channel sees it. */
  static AsyncCursor<List<RingNode>> watchRing(Channel channel) {
    ChunkStream<WatchRingRequest, WatchRingResponse> answers =
        new ChunkStream<>(
            channel,
            new ChunkStream.Protocol<>(
                ClusterServiceGrpc.getWatchRingMethod(),
                token -> WatchRingRequest.getDefaultInstance(),
                answer -> ""),
            WATCH_DEADLINE,
            0);
    return new AsyncCursor<>(
        () ->
            Transport.<@Nullable WatchRingResponse, @Nullable List<List<RingNode>>>map(
                answers.next(),
                answer ->
                    answer == null
                        ? null
                        : List.of(answer.getChangedList().stream().map(RingNode::of).toList())),
        answers::close);
  }

  private <Q, R, T> CompletableFuture<T> call(
      MethodDescriptor<Q, R> method, Q request, Function<R, T> function) {
    return Transport.map(
        transport.look(method, request, ColumnParentRef.deadline(options)), function);
  }
}

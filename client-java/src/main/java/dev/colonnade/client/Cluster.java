package dev.colonnade.client;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.ClusterServiceGrpc;
import dev.colonnade.admin.v1.DescribeClusterRequest;
import dev.colonnade.admin.v1.DescribeClusterResponse;
import dev.colonnade.admin.v1.DescribeRingRequest;
import dev.colonnade.admin.v1.DescribeRingResponse;
import dev.colonnade.admin.v1.DescribeSchemaVersionsRequest;
import dev.colonnade.admin.v1.DescribeSchemaVersionsResponse;
import dev.colonnade.admin.v1.GetEndpointsRequest;
import dev.colonnade.admin.v1.GetEndpointsResponse;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import io.grpc.MethodDescriptor;

/**
 * The cluster as the answering node sees it. Methods wait, at most for the client's deadline, and
 * throw {@link ColonnadeException}. Thread-safe.
 */
public final class Cluster {

  private final Transport transport;
  private final CallOptions options;

  Cluster(Transport transport, CallOptions options) {
    this.transport = transport;
    this.options = options;
  }

  /** The same, called with other options. */
  public Cluster with(CallOptions other) {
    return new Cluster(transport, other);
  }

  /** Names the cluster and what it cannot change. */
  public ClusterDescription describe() {
    DescribeClusterResponse answer =
        call(
            ClusterServiceGrpc.getDescribeClusterMethod(),
            DescribeClusterRequest.getDefaultInstance());
    return new ClusterDescription(
        answer.getClusterName(),
        answer.getPartitioner(),
        answer.getSnitch(),
        answer.getApiVersion(),
        answer.getServerVersion());
  }

  /**
   * Tells which nodes hold which ranges of the ring.
   *
   * @param keyspace whose replicas are meant; empty: the nodes only, without ranges
   * @throws NotFoundException if there is no such keyspace
   * @throws InvalidRequestException for {@code system}, which is not on the ring
   */
  public Ring ring(String keyspace) {
    DescribeRingResponse answer =
        call(
            ClusterServiceGrpc.getDescribeRingMethod(),
            DescribeRingRequest.newBuilder().setKeyspace(keyspace).build());
    return new Ring(
        answer.getRangesList().stream().map(RingRange::of).toList(),
        answer.getNodesList().stream().map(RingNode::of).toList());
  }

  /**
   * Tells which nodes hold a row.
   *
   * @throws NotFoundException if there is no such keyspace
   * @throws InvalidRequestException for a bad key, and for {@code system}
   */
  public KeyEndpoints endpoints(String keyspace, byte[] key) {
    GetEndpointsResponse answer =
        call(
            ClusterServiceGrpc.getGetEndpointsMethod(),
            GetEndpointsRequest.newBuilder()
                .setKeyspace(keyspace)
                .setKey(ByteString.copyFrom(key))
                .build());
    return new KeyEndpoints(
        answer.getToken(), answer.getEndpointsList().stream().map(Endpoint::of).toList());
  }

  /** Tells which nodes know which version of the schema. */
  public SchemaVersions schemaVersions() {
    DescribeSchemaVersionsResponse answer =
        call(
            SchemaServiceGrpc.getDescribeSchemaVersionsMethod(),
            DescribeSchemaVersionsRequest.getDefaultInstance());
    return new SchemaVersions(
        answer.getVersionsList().stream()
            .map(each -> new SchemaVersions.Version(each.getVersion(), each.getNodeIdsList()))
            .toList(),
        answer.getAgreed());
  }

  private <Q, R> R call(MethodDescriptor<Q, R> method, Q request) {
    return Transport.await(transport.call(method, request, Place.deadline(options), Applied.NO));
  }
}

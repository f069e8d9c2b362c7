package dev.colonnade.it.cluster;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.ClusterServiceGrpc;
import dev.colonnade.admin.v1.ColumnFamilyStats;
import dev.colonnade.admin.v1.DescribeRingRequest;
import dev.colonnade.admin.v1.DrainRequest;
import dev.colonnade.admin.v1.GetEndpointsRequest;
import dev.colonnade.admin.v1.GetGossipStateRequest;
import dev.colonnade.admin.v1.GetInfoRequest;
import dev.colonnade.admin.v1.GetStatsRequest;
import dev.colonnade.admin.v1.GossipEntry;
import dev.colonnade.admin.v1.HintQueue;
import dev.colonnade.admin.v1.ListHintsRequest;
import dev.colonnade.admin.v1.Liveness;
import dev.colonnade.admin.v1.MessageStats;
import dev.colonnade.admin.v1.NodeState;
import dev.colonnade.admin.v1.RingNode;
import dev.colonnade.it.LocalNode;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What a node reports about itself and others. */
public record NodeView(LocalNode node) {

  private static final long DRAIN_SECONDS = 60;
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  /** Who it is. */
  public String id() {
    return node.node()
        .getInfo(GetInfoRequest.getDefaultInstance())
        .getNode()
        .getEndpoint()
        .getNodeId();
  }

  /** What it sees of the ring. */
  List<RingNode> ring() {
    return cluster().describeRing(DescribeRingRequest.getDefaultInstance()).getNodesList();
  }

  private ClusterServiceGrpc.ClusterServiceBlockingStub cluster() {
    return ClusterServiceGrpc.newBlockingStub(node.channel());
  }

  /** How many nodes of the ring it considers up, itself included; -1 while it does not answer. */
  long countUp() {
    try {
      return ring().stream()
          .filter(member -> member.getState() == NodeState.NODE_STATE_NORMAL)
          .filter(member -> member.getLiveness() != Liveness.LIVENESS_DOWN)
          .count();
    } catch (StatusRuntimeException notYet) {
      return -1;
    }
  }

  /** Who owns a row. */
  List<String> owners(String keyspace, String key) {
    return cluster()
        .getEndpoints(
            GetEndpointsRequest.newBuilder()
                .setKeyspace(keyspace)
                .setKey(ByteString.copyFromUtf8(key))
                .build())
        .getEndpointsList()
        .stream()
        .map(endpoint -> endpoint.getNodeId())
        .toList();
  }

  /** How many writes it keeps for other nodes. */
  public long hints() {
    return node.node().listHints(ListHintsRequest.getDefaultInstance()).getQueuesList().stream()
        .mapToLong(HintQueue::getHints)
        .sum();
  }

  /** How many writes it keeps for another node. */
  long hintsFor(String nodeId) {
    return node.node().listHints(ListHintsRequest.getDefaultInstance()).getQueuesList().stream()
        .filter(queue -> queue.getTargetNodeId().equals(nodeId))
        .mapToLong(HintQueue::getHints)
        .sum();
  }

  /** What it has heard of all nodes, itself included. */
  public List<GossipEntry> gossip() {
    return node.node().getGossipState(GetGossipStateRequest.getDefaultInstance()).getEntriesList();
  }

  /** What it has heard of one node. */
  public GossipEntry gossipOf(String nodeId) {
    return gossip().stream()
        .filter(entry -> entry.getNodeId().equals(nodeId))
        .findFirst()
        .orElseThrow(() -> new AssertionError("nothing was heard of " + nodeId));
  }

  /** How messages of one kind fared. */
  public MessageStats messages(String verb) {
    return node.node().getStats(GetStatsRequest.getDefaultInstance()).getMessagesList().stream()
        .filter(stats -> stats.getVerb().equals(verb))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no figures of " + verb));
  }

  /** What a family of it has done. */
  ColumnFamilyStats family(String keyspace, String name) {
    return node
        .node()
        .getStats(GetStatsRequest.getDefaultInstance())
        .getColumnFamiliesList()
        .stream()
        .filter(stats -> stats.getKeyspace().equals(keyspace) && stats.getName().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no figures for " + keyspace + "." + name));
  }

  /** Drains it. */
  void drain() {
    node.node()
        .withDeadlineAfter(DRAIN_SECONDS, TimeUnit.SECONDS)
        .drain(DrainRequest.getDefaultInstance());
  }

  /** Whether there is any series of a metric. */
  public boolean hasMetric(String name) throws IOException, InterruptedException {
    return series(metrics(), name).findAny().isPresent();
  }

  /** The sum of all series of a metric whose line holds certain words. */
  public double metric(String name, String words) throws IOException, InterruptedException {
    String body = metrics();
    List<String> lines = series(body, name).toList();
    if (lines.isEmpty()) {
      throw new AssertionError("there is no metric " + name + " in\n" + body);
    }
    return lines.stream()
        .filter(line -> line.contains(words))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  private String metrics() throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create("http://" + node.address() + ":" + node.ports().http() + "/metrics"))
            .build();
    return HTTP.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  private static Stream<String> series(String body, String name) {
    return body.lines().filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"));
  }
}

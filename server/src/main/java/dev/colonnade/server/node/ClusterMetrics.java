package dev.colonnade.server.node;

import dev.colonnade.server.base.metrics.Labels;
import dev.colonnade.server.base.metrics.MetricSet;
import dev.colonnade.server.cluster.hints.HintFigures;
import dev.colonnade.server.cluster.streaming.StreamProgress;
import dev.colonnade.server.service.admin.MemberFigures;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * Registers metrics of other nodes: which are up, their phi, the hints stored for them, and
 * streams.
 */
final class ClusterMetrics {

  private static final String NODE = "node_id";

  private final MetricSet metrics;
  private final NodeRuntime core;
  private final Map<String, String> known = new HashMap<>();

  ClusterMetrics(MetricSet metrics, NodeRuntime core) {
    this.metrics = metrics;
    this.core = core;
    for (boolean outgoing : new boolean[] {true, false}) {
      Labels direction = Labels.of("direction", outgoing ? "out" : "in");
      metrics.gauge(
          "colonnade_streams_running",
          "Range streams in progress",
          direction,
          () -> streams(outgoing, stream -> 1));
      metrics.gauge(
          "colonnade_streams_running_bytes",
          "Moved so far by the streams in progress",
          direction,
          () -> streams(outgoing, StreamProgress::bytes));
    }
    metrics.gauge(
        "colonnade_stream_limit_bytes_per_second",
        "The rate limit that all streams of this node share; 0 for no limit",
        Labels.NONE,
        () -> core.parts().settings().streams().bytesPerSecond());
  }

  private double streams(boolean outgoing, ToDoubleFunction<StreamProgress> figure) {
    return core.streams().figures().stream()
        .filter(stream -> stream.outgoing() == outgoing)
        .filter(
            stream ->
                stream.state() != StreamProgress.StreamState.DONE
                    && stream.state() != StreamProgress.StreamState.FAILED)
        .mapToDouble(figure)
        .sum();
  }

  /** Adds new nodes and drops those that left. One thread at a time. */
  void follow() {
    Map<String, String> now = new HashMap<>();
    for (MemberFigures member : core.clusterOperations().members()) {
      if (!member.departed() && !member.nodeId().equals(core.self().id())) {
        now.put(member.nodeId(), member.address() + ":" + member.peerPort());
      }
    }
    for (String id : List.copyOf(known.keySet())) {
      if (!Objects.equals(known.get(id), now.get(id))) {
        known.remove(id);
        metrics.remove(NODE, Set.of(id));
      }
    }
    now.forEach(
        (id, address) -> {
          if (known.putIfAbsent(id, address) == null) {
            add(id, address);
          }
        });
  }

  private void add(String id, String address) {
    Labels labels = Labels.of(NODE, id).and("peer", address);
    metrics.gauge(
        "colonnade_node_up",
        "1 if the node is believed to be up",
        labels,
        () -> member(id, member -> member.liveness() == MemberFigures.Liveness.DOWN ? 0 : 1));
    metrics.gauge(
        "colonnade_node_phi",
        "Suspicion (phi) of the node; above the threshold it counts as down",
        labels,
        () -> member(id, MemberFigures::phi));
    metrics.gauge(
        "colonnade_hints_pending",
        "Hints waiting for the node",
        labels,
        () ->
            core.clusterOperations().hints().stream()
                .filter(queue -> queue.targetId().equals(id))
                .mapToDouble(HintFigures::hints)
                .sum());
  }

  private double member(String id, ToDoubleFunction<MemberFigures> figure) {
    return core.clusterOperations().members().stream()
        .filter(member -> member.nodeId().equals(id))
        .mapToDouble(figure)
        .findFirst()
        .orElse(0);
  }
}

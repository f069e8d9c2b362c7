package dev.colonnade.server.node;

import dev.colonnade.server.cluster.hints.HintFigures;
import dev.colonnade.server.cluster.net.VerbFigures;
import dev.colonnade.server.service.admin.MemberFigures;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Registers metrics of other nodes: which are up, their phi, the hints stored for them; and of the
 * messages to and from them.
 */
final class ClusterMetrics {

  private static final String[] NODE = {"node_id", "peer"};
  private static final double MICROS_PER_SECOND = 1e6;

  private final Readings readings;
  private final NodeRuntime core;

  private ClusterMetrics(Readings readings, NodeRuntime core) {
    this.readings = readings;
    this.core = core;
  }

  static void add(Readings readings, NodeRuntime core) {
    ClusterMetrics metrics = new ClusterMetrics(readings, core);
    metrics.addNodes();
    metrics.addHints();
    metrics.addMessages();
  }

  private void addNodes() {
    readings.gauges(
        "colonnade_node_up",
        "1 if the node is believed to be up",
        points ->
            others(points, member -> member.liveness() == MemberFigures.Liveness.DOWN ? 0.0 : 1.0),
        NODE);
    readings.gauges(
        "colonnade_node_phi",
        "Suspicion (phi) of the node; above the threshold it counts as down",
        points -> others(points, MemberFigures::phi),
        NODE);
    readings.gauge(
        "colonnade_clock_offset_seconds",
        "How far the node's clock is ahead of those of the other nodes that are up, by their"
            + " median; negative if it is behind, 0 while none has been measured",
        () -> core.liveCluster().gossiper().clockAheadMicros() / MICROS_PER_SECOND);
    readings.gauge(
        "colonnade_schema_versions",
        "Different versions of the schema among the nodes that are up; 1 once they agree",
        () ->
            core.clusterOperations().schemaVersions().stream()
                .filter(version -> !version.version().isEmpty())
                .count());
  }

  private void addHints() {
    hints("colonnade_hints_pending", "Hints waiting for the node", HintFigures::hints);
    hints(
        "colonnade_hints_pending_bytes", "Bytes on disk of hints for the node", HintFigures::bytes);
    hints(
        "colonnade_hints_oldest_timestamp_seconds",
        "When the oldest hint for the node was made, in seconds since 1970; 0 without hints",
        queue -> queue.oldestMicros() / MICROS_PER_SECOND);
  }

  private void hints(String name, String help, ToDoubleFunction<HintFigures> figure) {
    readings.gauges(
        name,
        help,
        points -> {
          Map<String, HintFigures> byTarget =
              core.clusterOperations().hints().stream()
                  .collect(Collectors.toMap(HintFigures::targetId, Function.identity()));
          others(
              points,
              member -> {
                HintFigures queue = byTarget.get(member.nodeId());
                return queue == null ? 0.0 : figure.applyAsDouble(queue);
              });
        },
        NODE);
  }

  private void others(Readings.Points points, ToDoubleFunction<MemberFigures> figure) {
    for (MemberFigures member : core.clusterOperations().members()) {
      if (!member.departed() && !member.nodeId().equals(core.self().id())) {
        points.add(
            figure.applyAsDouble(member),
            member.nodeId(),
            member.address() + ":" + member.peerPort());
      }
    }
  }

  private void addMessages() {
    readings.registry().register(core.messageDurations());
    messages("sent", "Requests and one-way messages handed to the transport", VerbFigures::sent);
    messages(
        "received",
        "Requests and one-way messages of other nodes that reached their handler",
        VerbFigures::received);
    messages(
        "dropped",
        "Messages of either direction that were discarded: no room, late, or unexpected",
        VerbFigures::dropped);
    messages(
        "timed_out",
        "Requests to other nodes that failed at their deadline",
        VerbFigures::timedOut);
    messages(
        "cancelled",
        "Requests of other nodes that were cancelled while they were handled",
        VerbFigures::cancelled);
    messages(
        "failed", "Requests to other nodes that were answered with a failure", VerbFigures::failed);
  }

  private void messages(String what, String help, ToDoubleFunction<VerbFigures> count) {
    readings.counters(
        "colonnade_messages_" + what,
        help,
        points ->
            core.operations()
                .messages()
                .forEach(
                    verb ->
                        points.add(
                            count.applyAsDouble(verb),
                            verb.verb().name().toLowerCase(Locale.ROOT))),
        "verb");
  }
}

package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.output.Facts;
import dev.colonnade.cli.shell.output.Facts.Fact;
import dev.colonnade.cli.shell.output.Listing;
import dev.colonnade.cli.shell.output.Listing.Column;
import dev.colonnade.cli.shell.statement.Statement;
import dev.colonnade.cli.shell.value.Edge;
import dev.colonnade.client.Cluster;
import dev.colonnade.client.Endpoint;
import dev.colonnade.client.GossipEntry;
import dev.colonnade.client.HintQueue;
import dev.colonnade.client.KeyEndpoints;
import dev.colonnade.client.NodeStatistics;
import dev.colonnade.client.NodeStatus;
import dev.colonnade.client.RingNode;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The statements by which operators look at the cluster and at the node. */
final class AdminStatements {

  private final Session session;
  private final Families families;

  AdminStatements(Session session, Families families) {
    this.session = session;
    this.families = families;
  }

  void look(Statement.Aspect aspect) {
    switch (aspect) {
      case RING -> ring(false);
      case RING_TOKENS -> ring(true);
      case INFO -> {
        NodeStatus status = session.client().node().info();
        String progress =
            progress(List.of(status.node())).getOrDefault(status.node().endpoint().nodeId(), "");
        session.output().facts(NodeFigures.info(status, progress));
      }
      case STATS ->
          session.output().listing(NodeFigures.families(session.client().node().statistics()));
      case STAGES -> stages();
      case GOSSIP -> {
        List<GossipEntry> entries = session.client().node().gossip();
        entries.forEach(this::gossip);
        session.output().complete("nodes", entries.size());
      }
      case HINTS -> hints();
    }
  }

  private void ring(boolean wholeTokens) {
    Cluster cluster = session.client().cluster();
    String partitioner = cluster.describe().partitioner();
    List<RingNode> nodes = cluster.ring("").nodes();
    session
        .output()
        .listing(new RingDrawing(partitioner, nodes, progress(nodes), wholeTokens).listing());
  }

  /** What nodes announce by gossip about changes of the ring; requested only if there are any. */
  private Map<String, String> progress(List<RingNode> nodes) {
    Map<String, String> told = new HashMap<>();
    if (nodes.stream().allMatch(node -> node.state() == RingNode.State.NORMAL)) {
      return told;
    }
    for (GossipEntry entry : session.client().node().gossip()) {
      String progress = entry.states().getOrDefault("progress", "");
      if (!progress.isEmpty()) {
        told.put(entry.nodeId(), progress);
      }
    }
    return told;
  }

  private void stages() {
    NodeStatistics statistics = session.client().node().statistics();
    session.output().listing(NodeFigures.stages(statistics));
    session.output().listing(NodeFigures.messages(statistics));
  }

  private void gossip(GossipEntry entry) {
    String phi =
        Double.isFinite(entry.phi())
            ? String.format(Locale.ROOT, "%.2f", entry.phi())
            : "never heard";
    List<Fact> facts = new ArrayList<>();
    facts.add(new Fact("address", "Address", entry.address()));
    facts.add(new Fact("peer_port", "Port for nodes", Integer.toString(entry.peerPort())));
    facts.add(new Fact("liveness", "Liveness", entry.liveness().name()));
    facts.add(new Fact("phi", "Phi", phi));
    facts.add(new Fact("generation", "Generation", Long.toString(entry.generation())));
    facts.add(new Fact("version", "Version", Long.toString(entry.version())));
    entry
        .states()
        .forEach(
            (name, value) ->
                facts.add(new Fact("state_" + name.toLowerCase(Locale.ROOT), name, value)));
    session
        .output()
        .facts(new Facts("gossip", entry.nodeId(), "Node: " + entry.nodeId(), facts, List.of()));
  }

  private void hints() {
    List<HintQueue> queues = session.client().node().hints();
    Map<String, String> addresses = new HashMap<>();
    if (!queues.isEmpty()) {
      for (RingNode node : session.client().cluster().ring("").nodes()) {
        addresses.put(
            node.endpoint().nodeId(),
            node.endpoint().address() + ":" + node.endpoint().clientPort());
      }
    }
    List<List<String>> lines = new ArrayList<>();
    List<Map<String, Object>> items = new ArrayList<>();
    for (HintQueue queue : queues) {
      String oldest =
          queue.oldest().map(at -> at.truncatedTo(ChronoUnit.SECONDS).toString()).orElse("");
      lines.add(
          List.of(
              addresses.getOrDefault(queue.nodeId(), queue.nodeId()),
              Long.toString(queue.hints()),
              Sizes.bytes(queue.bytes()),
              oldest));
      Map<String, Object> item = new LinkedHashMap<>();
      item.put("node", queue.nodeId());
      item.put("hints", queue.hints());
      item.put("bytes", queue.bytes());
      item.put("oldest", oldest);
      items.add(item);
    }
    session
        .output()
        .listing(
            new Listing(
                "hints",
                "queues",
                List.of(
                    Column.words("For"),
                    Column.numbers("Hints"),
                    Column.numbers("On disk"),
                    Column.words("Oldest")),
                lines,
                items,
                "No hints are waiting."));
  }

  void endpoints(Statement.Endpoints asked) throws StatementFailure {
    String keyspace = families.keyspace(asked.keyspace());
    byte[] key = Family.bytes("the key", families.keys(keyspace), asked.key(), Edge.FIRST);
    KeyEndpoints found = session.client().cluster().endpoints(keyspace, key);
    List<List<String>> lines = new ArrayList<>();
    List<Map<String, Object>> items = new ArrayList<>();
    for (Endpoint endpoint : found.endpoints()) {
      lines.add(
          List.of(
              endpoint.address() + ":" + endpoint.clientPort(),
              endpoint.datacenter(),
              endpoint.rack(),
              endpoint.nodeId()));
      Map<String, Object> item = new LinkedHashMap<>();
      item.put("id", endpoint.nodeId());
      item.put("address", endpoint.address());
      item.put("client_port", endpoint.clientPort());
      item.put("peer_port", endpoint.peerPort());
      item.put("datacenter", endpoint.datacenter());
      item.put("rack", endpoint.rack());
      item.put("token", found.token());
      items.add(item);
    }
    session
        .output()
        .listing(
            new Listing(
                "endpoint",
                "endpoints",
                List.of(
                    Column.words("Address"),
                    Column.words("DC"),
                    Column.words("Rack"),
                    Column.words("Node")),
                lines,
                items,
                "No node holds this row."));
  }
}

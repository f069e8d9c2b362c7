package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.output.Facts;
import dev.colonnade.cli.shell.output.Facts.Fact;
import dev.colonnade.cli.shell.output.Listing;
import dev.colonnade.cli.shell.output.Listing.Column;
import dev.colonnade.client.ColumnFamilyStatistics;
import dev.colonnade.client.MessageStatistics;
import dev.colonnade.client.NodeStatistics;
import dev.colonnade.client.NodeStatus;
import dev.colonnade.client.RingNode;
import dev.colonnade.client.StageStatistics;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A node's own figures, to be shown. */
final class NodeFigures {

  private NodeFigures() {}

  /**
   * The node's status.
   *
   * @param progress what it reports of a change of the ring that it makes; empty for none
   */
  static Facts info(NodeStatus status, String progress) {
    RingNode node = status.node();
    List<Fact> facts = new ArrayList<>(place(status));
    if (!progress.isEmpty()) {
      facts.add(new Fact("progress", "Progress", progress));
    }
    return new Facts(
        "info", node.endpoint().nodeId(), "Node: " + node.endpoint().nodeId(), facts, List.of());
  }

  private static List<Fact> place(NodeStatus status) {
    RingNode node = status.node();
    return List.of(
        new Fact("address", "Address", node.endpoint().address()),
        new Fact("client_port", "Port", Integer.toString(node.endpoint().clientPort())),
        new Fact("peer_port", "Port for nodes", Integer.toString(node.endpoint().peerPort())),
        new Fact("datacenter", "Data centre", node.endpoint().datacenter()),
        new Fact("rack", "Rack", node.endpoint().rack()),
        new Fact("state", "State", node.state().name()),
        new Fact("tokens", "Tokens", String.join(", ", node.tokens())),
        new Fact("owns", "Share of the ring", Double.toString(node.owns())),
        new Fact("load_bytes", "Bytes of data files", Long.toString(node.loadBytes())),
        new Fact("uptime_seconds", "Uptime in seconds", Long.toString(status.uptime().toSeconds())),
        new Fact("heap_used_bytes", "Bytes of heap", Long.toString(status.heapUsedBytes())),
        new Fact(
            "offheap_used_bytes",
            "Bytes beside the heap",
            Long.toString(status.offHeapUsedBytes())),
        new Fact("schema_version", "Schema version", node.schemaVersion()));
  }

  /** What the families hold and cost. */
  static Listing families(NodeStatistics statistics) {
    List<List<String>> lines = new ArrayList<>();
    List<Map<String, Object>> items = new ArrayList<>();
    for (ColumnFamilyStatistics family : statistics.columnFamilies()) {
      lines.add(
          List.of(
              family.keyspace() + "." + family.name(),
              Integer.toString(family.disk().sstables()),
              Sizes.bytes(family.disk().diskBytes()),
              Long.toString(family.memtable().keys()),
              Sizes.bytes(family.memtable().bytes()),
              Long.toString(family.calls().reads()),
              Sizes.tenths(family.calls().readLatencyMicros()),
              Long.toString(family.calls().writes()),
              Sizes.tenths(family.calls().writeLatencyMicros()),
              Long.toString(family.pendingCompactions())));
      items.add(item(family));
    }
    return new Listing(
        "stats",
        "families",
        List.of(
            Column.words("Column family"),
            Column.numbers("Files"),
            Column.numbers("On disk"),
            Column.numbers("Rows in memory"),
            Column.numbers("In memory"),
            Column.numbers("Reads"),
            Column.numbers("Mean us"),
            Column.numbers("Writes"),
            Column.numbers("Mean us"),
            Column.numbers("Merges due")),
        lines,
        items,
        "There are no column families.");
  }

  private static Map<String, Object> item(ColumnFamilyStatistics family) {
    Map<String, Object> item = new LinkedHashMap<>();
    item.put("keyspace", family.keyspace());
    item.put("family", family.name());
    item.put("sstables", family.disk().sstables());
    item.put("live_bytes", family.disk().liveBytes());
    item.put("disk_bytes", family.disk().diskBytes());
    item.put("quarantined_files", family.disk().quarantinedFiles());
    item.put("memtable_keys", family.memtable().keys());
    item.put("memtable_bytes", family.memtable().bytes());
    item.put("memtable_operations", family.memtable().operations());
    item.put("reads", family.calls().reads());
    item.put("read_latency_micros", family.calls().readLatencyMicros());
    item.put("writes", family.calls().writes());
    item.put("write_latency_micros", family.calls().writeLatencyMicros());
    item.put("sstables_touched", family.reads().sstablesTouched());
    item.put("blocks_read", family.reads().blocksRead());
    item.put("block_cache_hits", family.reads().blockCacheHits());
    item.put("block_cache_misses", family.reads().blockCacheMisses());
    item.put("bloom_rejections", family.reads().bloomRejections());
    item.put("bloom_false_positives", family.reads().bloomFalsePositives());
    item.put("key_cache_hits", family.reads().keyCacheHits());
    item.put("key_cache_hit_rate", family.reads().keyCacheHitRate());
    item.put("row_cache_hits", family.reads().rowCacheHits());
    item.put("row_cache_misses", family.reads().rowCacheMisses());
    item.put("tombstones_scanned", family.reads().tombstonesScanned());
    item.put("flushes_by_size", family.flushes().bySize());
    item.put("flushes_by_operations", family.flushes().byOperations());
    item.put("flushes_by_age", family.flushes().byAge());
    item.put("flushes_on_demand", family.flushes().onDemand());
    item.put("pending_compactions", family.pendingCompactions());
    item.put("compacted_bytes", family.compactedBytes());
    return item;
  }

  /** What waits and runs. */
  static Listing stages(NodeStatistics statistics) {
    List<List<String>> lines = new ArrayList<>();
    List<Map<String, Object>> items = new ArrayList<>();
    for (StageStatistics stage : statistics.stages()) {
      lines.add(
          List.of(
              stage.name(),
              Integer.toString(stage.active()),
              Integer.toString(stage.pending()),
              Long.toString(stage.completed()),
              Long.toString(stage.dropped()),
              Long.toString(stage.stillMillis())));
      Map<String, Object> item = new LinkedHashMap<>();
      item.put("name", stage.name());
      item.put("active", stage.active());
      item.put("pending", stage.pending());
      item.put("completed", stage.completed());
      item.put("dropped", stage.dropped());
      item.put("still_millis", stage.stillMillis());
      items.add(item);
    }
    return new Listing(
        "stage",
        "stages",
        List.of(
            Column.words("Stage"),
            Column.numbers("Active"),
            Column.numbers("Pending"),
            Column.numbers("Completed"),
            Column.numbers("Dropped"),
            Column.numbers("Still ms")),
        lines,
        items,
        "There are no stages.");
  }

  /** Messages between nodes; those of kinds of which there were none are not shown to people. */
  static Listing messages(NodeStatistics statistics) {
    List<List<String>> lines = new ArrayList<>();
    List<Map<String, Object>> items = new ArrayList<>();
    for (MessageStatistics verb : statistics.messages()) {
      if (verb.sent() + verb.received() + verb.dropped() > 0) {
        lines.add(
            List.of(
                verb.verb(),
                Long.toString(verb.sent()),
                Long.toString(verb.received()),
                Long.toString(verb.dropped()),
                Long.toString(verb.timedOut()),
                Long.toString(verb.cancelled()),
                Long.toString(verb.failed()),
                Sizes.tenths(verb.latencyMicros())));
      }
      Map<String, Object> item = new LinkedHashMap<>();
      item.put("verb", verb.verb());
      item.put("sent", verb.sent());
      item.put("received", verb.received());
      item.put("dropped", verb.dropped());
      item.put("timed_out", verb.timedOut());
      item.put("cancelled", verb.cancelled());
      item.put("failed", verb.failed());
      item.put("latency_micros", verb.latencyMicros());
      items.add(item);
    }
    return new Listing(
        "message",
        "messages",
        List.of(
            Column.words("Message"),
            Column.numbers("Sent"),
            Column.numbers("Received"),
            Column.numbers("Dropped"),
            Column.numbers("Timed out"),
            Column.numbers("Cancelled"),
            Column.numbers("Failed"),
            Column.numbers("Mean us")),
        lines,
        items,
        "There were no messages between nodes.");
  }
}

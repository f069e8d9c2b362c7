package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.client.CallOptions;
import dev.colonnade.client.CallStatistics;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.ClusterDescription;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.ColumnFamilyStatistics;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Cursor;
import dev.colonnade.client.GossipEntry;
import dev.colonnade.client.InvalidRequestException;
import dev.colonnade.client.KeyEndpoints;
import dev.colonnade.client.KeyRange;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.NodeStatus;
import dev.colonnade.client.NotFoundException;
import dev.colonnade.client.Progress;
import dev.colonnade.client.Ring;
import dev.colonnade.client.RingNode;
import dev.colonnade.client.Schema;
import dev.colonnade.client.SchemaVersions;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import dev.colonnade.client.Split;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import dev.colonnade.server.node.NodeStartException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What the client library reports about a node and about single calls. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ClientAdministrationIT {

  private static final int WIDE = 2_000;

  private record Call(String method, Optional<ColonnadeException> failure) {}

  private final Queue<Call> calls = new ConcurrentLinkedQueue<>();
  private final Node node;
  private final Colonnade client;
  private final Schema schema;
  private final ColumnFamily<String, Long, String> timeline;

  ClientAdministrationIT(@TempDir Path folder) throws NodeStartException {
    node = Node.start(NodeOptions.defaults().withDataDirectory(folder).withFreePorts());
    client =
        Colonnade.connect(
            node.clientAddress() + ":" + node.clientPort(),
            ClientOptions.defaults()
                .withListener(call -> calls.add(new Call(call.method(), call.failure()))));
    schema = client.schema();
    timeline =
        client
            .keyspace("Blog")
            .columnFamily("Timeline", Serializers.UTF8, Serializers.LONG, Serializers.UTF8);
  }

  @BeforeAll
  void define() {
    schema.create(
        KeyspaceDefinition.named("Blog")
            .with(ColumnFamilyDefinition.standard("Timeline", Comparators.LONG))
            .with(ColumnFamilyDefinition.standard("Tags", Comparators.UTF8)));
  }

  @BeforeEach
  void empty() {
    timeline.truncate();
    calls.clear();
  }

  @AfterAll
  void stop() {
    client.close();
    node.close();
  }

  @Test
  void whatIsAbsentIsCreatedAndWhatExistsStays() {
    KeyspaceDefinition wanted =
        KeyspaceDefinition.named("Absent")
            .with(ColumnFamilyDefinition.standard("One", Comparators.LONG).withComment("first"));
    assertTrue(schema.createIfAbsent(wanted));
    assertFalse(schema.createIfAbsent(wanted));
    assertTrue(
        schema.createIfAbsent(
            KeyspaceDefinition.named("Absent")
                .with(ColumnFamilyDefinition.standard("One", Comparators.LONG).withComment("new"))
                .with(ColumnFamilyDefinition.standard("Two", Comparators.UTF8))));
    assertEquals("first", schema.keyspace("Absent").columnFamily("One").orElseThrow().comment());
    assertThrows(
        IllegalStateException.class,
        () ->
            schema.createIfAbsent(
                "Absent", ColumnFamilyDefinition.standard("Two", Comparators.LONG)));
    assertThrows(
        NotFoundException.class,
        () ->
            schema.createIfAbsent(
                "Nowhere", ColumnFamilyDefinition.standard("Two", Comparators.LONG)));
    schema.dropKeyspace("Absent");
  }

  @Test
  void readsAndWritesTellWhatTheyCost() {
    List<CallStatistics> costs = new ArrayList<>();
    ColumnFamily<String, Long, String> counted =
        timeline.with(CallOptions.defaults().withStatistics(costs::add));
    fill(counted);
    assertEquals(1, costs.size());
    assertEquals(0, costs.remove(0).blocksRead());
    client.node().flush("Blog", "Timeline");
    assertEquals(10, counted.slice("me", Slice.last(10)).size());
    CallStatistics newest = costs.remove(0);
    assertEquals(List.of(), costs);
    assertEquals(1, newest.sstablesRead());
    assertTrue(newest.blocksRead() >= 1 && newest.blocksRead() <= 2, newest.toString());
    assertEquals(List.of(newest.coordinator()), newest.replicas());
    assertFalse(newest.serverTime().isNegative());
    try (Cursor<Column<Long, String>> all = counted.stream("me", Slice.all())) {
      assertEquals(WIDE, all.stream().count());
    }
    assertEquals(1, costs.size());
    assertTrue(costs.get(0).blocksRead() > newest.blocksRead(), costs.toString());
    assertEquals(WIDE, counted.async().count("me", Slice.all()).join());
    assertEquals(2, costs.size());
  }

  @Test
  void aTimestampForACallDecidesBetweenVersions() {
    timeline.with(CallOptions.defaults().withTimestamp(200)).insert("k", 1L, "newer");
    timeline.with(CallOptions.defaults().withTimestamp(100)).insert("k", 1L, "older");
    Column<Long, String> found = timeline.find("k", 1L).orElseThrow();
    assertEquals("newer", found.value());
    assertEquals(200, found.timestampMicros().orElseThrow());
    timeline.with(CallOptions.defaults().withTimestamp(150)).remove("k");
    assertEquals(Optional.of("newer"), timeline.get("k", 1L));
    timeline.with(CallOptions.defaults().withTimestamp(200)).remove("k");
    assertEquals(Optional.empty(), timeline.get("k", 1L));
  }

  @Test
  void aListenerCountsRoundTrips() {
    timeline.insert("k", 1L, "v");
    timeline.get("k", 1L);
    timeline.multiget(List.of("k", "l"), Slice.all());
    assertThrows(
        NotFoundException.class,
        () ->
            client
                .keyspace("Blog")
                .columnFamily("None", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8)
                .get("k", "n"));
    assertEquals(
        List.of("BatchMutate", "GetSlice", "MultigetSlice", "GetSlice"),
        calls.stream().map(Call::method).toList());
    assertEquals(
        List.of("COLUMN_FAMILY_NOT_FOUND"),
        calls.stream().flatMap(call -> call.failure().stream()).map(e -> e.reason()).toList());
  }

  @Test
  void theClusterAndItsRingAreDescribed() {
    ClusterDescription description = client.cluster().describe();
    assertEquals("RandomPartitioner", description.partitioner());
    assertFalse(description.serverVersion().isEmpty());
    Ring ring = client.cluster().ring("Blog");
    assertEquals(1, ring.ranges().size());
    assertEquals(1, ring.nodes().size());
    RingNode self = ring.nodes().get(0);
    assertEquals(RingNode.State.NORMAL, self.state());
    assertEquals(RingNode.Liveness.UP, self.liveness());
    assertEquals(node.clientAddress(), self.endpoint().address());
    KeyEndpoints key = client.cluster().endpoints("Blog", "me".getBytes(StandardCharsets.UTF_8));
    assertEquals(List.of(self.endpoint()), key.endpoints());
    assertFalse(key.token().isEmpty());
    assertThrows(NotFoundException.class, () -> client.cluster().ring("None"));
    assertThrows(InvalidRequestException.class, () -> client.cluster().ring("system"));
    SchemaVersions versions = client.cluster().schemaVersions();
    assertTrue(versions.agreed());
    assertEquals(List.of(self.endpoint().nodeId()), versions.versions().get(0).nodeIds());
  }

  @Test
  void theNodeTellsHowItIsAndWhatItDid() {
    NodeStatus status = client.node().info();
    assertTrue(status.heapUsedBytes() > 0);
    assertEquals(RingNode.State.NORMAL, status.node().state());
    long before = family("Timeline").calls().writes();
    timeline.insert("k", 1L, "v");
    assertEquals(before + 1, family("Timeline").calls().writes());
    assertFalse(client.node().statistics().stages().isEmpty());
    assertEquals(List.of(), client.node().statistics().quarantinedFiles());
    assertEquals(0, family("Timeline").disk().quarantinedFiles());
    assertThrows(
        InvalidRequestException.class, () -> client.node().acceptLoss("Blog", "Timeline", 7));
  }

  @Test
  void theRingIsWatchedAndSplit() {
    try (Cursor<List<RingNode>> watch = client.cluster().watchRing()) {
      List<RingNode> first = watch.next();
      assertEquals(1, first.size());
      assertEquals(RingNode.Liveness.UP, first.get(0).liveness());
    }
    for (int i = 0; i < 100; i++) {
      timeline.insert("row" + i, 1L, "v");
    }
    List<Split> splits = new ArrayList<>();
    try (Cursor<Split> cursor = client.cluster().splits("Blog", "Timeline", 20)) {
      cursor.forEachRemaining(splits::add);
    }
    assertEquals(100, splits.stream().mapToLong(Split::estimatedKeys).sum());
    assertTrue(splits.size() >= 4 && splits.size() <= 6, splits.toString());
    String at = splits.get(splits.size() - 1).range().endToken();
    int rows = 0;
    for (Split split : splits) {
      assertEquals(at, split.range().startToken());
      assertEquals(1, split.range().endpoints().size());
      at = split.range().endToken();
      try (Cursor<String> keys = timeline.keys(KeyRange.tokens(split.range().startToken(), at))) {
        rows += (int) keys.stream().count();
      }
    }
    assertEquals(100, rows, "each row is in one split");
    List<Split> part = new ArrayList<>();
    try (Cursor<Split> cursor =
        client.cluster().splits("Blog", "Timeline", 5, splits.get(1).range())) {
      cursor.forEachRemaining(part::add);
    }
    assertEquals(splits.get(1).range().startToken(), part.get(0).range().startToken());
    assertEquals(splits.get(1).range().endToken(), part.get(part.size() - 1).range().endToken());
    assertThrows(
        NotFoundException.class, () -> client.cluster().splits("Blog", "None", 5).hasNext());
  }

  @Test
  void whatIsHeardOfOthersAndWaitsForThemIsShown() {
    List<GossipEntry> gossip = client.node().gossip();
    assertEquals(1, gossip.size());
    assertEquals(client.node().info().node().endpoint().nodeId(), gossip.get(0).nodeId());
    assertEquals(List.of(), client.node().hints());
    assertEquals(List.of(), client.node().async().hints().join());
    assertFalse(client.node().statistics().messages().isEmpty());
  }

  @Test
  void aDrainedNodeTakesNoMoreAndStartsAgainWithAllItHad(@TempDir Path folder)
      throws NodeStartException {
    NodeOptions options = NodeOptions.defaults().withDataDirectory(folder).withFreePorts();
    try (Node drained = Node.start(options);
        Colonnade own = Colonnade.connect("127.0.0.1:" + drained.clientPort())) {
      own.schema()
          .create(
              KeyspaceDefinition.named("Blog")
                  .with(ColumnFamilyDefinition.standard("Timeline", Comparators.LONG)));
      ColumnFamily<String, Long, String> family =
          own.keyspace("Blog")
              .columnFamily("Timeline", Serializers.UTF8, Serializers.LONG, Serializers.UTF8);
      family.insert("k", 1L, "kept");
      own.node().drain();
      ColonnadeException refused =
          assertThrows(ColonnadeException.class, () -> family.insert("k", 2L, "late"));
      assertEquals("NODE_NOT_READY", refused.reason());
      assertEquals(RingNode.Liveness.UP, own.node().info().node().liveness());
      own.node().drain();
    }
    try (Node again = Node.start(options);
        Colonnade own = Colonnade.connect("127.0.0.1:" + again.clientPort())) {
      assertEquals(
          Optional.of("kept"),
          own.keyspace("Blog")
              .columnFamily("Timeline", Serializers.UTF8, Serializers.LONG, Serializers.UTF8)
              .get("k", 1L));
    }
  }

  @Test
  void filesAreFlushedAndCompacted() {
    for (int i = 0; i < 3; i++) {
      fill(timeline);
      assertFalse(client.node().flush("Blog", "Timeline").isEmpty());
      assertEquals(List.of(), client.node().flush("Blog", "Timeline"));
    }
    List<Progress> progress = new ArrayList<>();
    client.node().compact("Blog", List.of("Timeline"), progress::add);
    assertEquals("done", progress.get(progress.size() - 1).phase());
    assertEquals(1, family("Timeline").disk().sstables());
    assertThrows(
        NotFoundException.class,
        () -> client.node().compact("Blog", List.of("None"), progress::add));
  }

  @Test
  void anInterruptEndsTheWaitForACompaction() {
    Thread.currentThread().interrupt();
    ColonnadeException thrown =
        assertThrows(
            ColonnadeException.class, () -> client.node().compact("Blog", List.of(), news -> {}));
    assertTrue(Thread.interrupted());
    assertEquals("CANCELLED", thrown.reason());
  }

  @Test
  void someSettingsOfAFamilyAreChangedByItsNameAlone() {
    // A family of its own: what the other tests write must not be flushed by these settings.
    schema.create("Blog", ColumnFamilyDefinition.standard("Changed", Comparators.LONG));
    schema.update(
        "Blog",
        ColumnFamilyDefinition.changesOf("Changed")
            .withComment("newest first")
            .withDefaultTtl(Duration.ofDays(1))
            .withReadRepairChance(0.5)
            .withMemtableOperations(12_345)
            .withMemtableThroughputMebibytes(3)
            .withMemtableFlushAfter(Duration.ofMinutes(7)));
    ColumnFamilyDefinition changed = changedDefinition();
    assertEquals(Comparators.LONG, changed.compareWith());
    assertEquals("newest first", changed.comment());
    assertEquals(12_345, changed.memtableOperations().orElseThrow());
    assertEquals(3, changed.memtableThroughputMebibytes().orElseThrow());
    assertEquals(Optional.of(Duration.ofMinutes(7)), changed.memtableFlushAfter());
    assertEquals(0.5, changed.readRepairChance().orElseThrow());
    schema.update(
        "Blog",
        ColumnFamilyDefinition.changesOf("Changed")
            .withComment("")
            .withoutDefaultTtl()
            .withMemtableOperations(99));
    ColumnFamilyDefinition back = changedDefinition();
    assertEquals("", back.comment());
    assertEquals(Optional.empty(), back.defaultTtl());
    assertEquals(99, back.memtableOperations().orElseThrow());
    assertEquals(3, back.memtableThroughputMebibytes().orElseThrow());
    schema.update(KeyspaceDefinition.named("Blog").withReplicationFactor(1));
    assertEquals(3, schema.keyspace("Blog").columnFamilies().size());
    schema.dropColumnFamily("Blog", "Changed");
  }

  private ColumnFamilyDefinition changedDefinition() {
    return schema.keyspace("Blog").columnFamily("Changed").orElseThrow();
  }

  private ColumnFamilyStatistics family(String name) {
    return client.node().statistics().columnFamilies().stream()
        .filter(family -> family.keyspace().equals("Blog") && family.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static void fill(ColumnFamily<String, Long, String> family) {
    List<Column<Long, String>> columns = new ArrayList<>();
    for (long i = 0; i < WIDE; i++) {
      columns.add(Column.of(i, "a tweet with a text of some length ".repeat(3) + i));
    }
    family.insertAll("me", columns);
  }
}

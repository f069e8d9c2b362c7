package dev.colonnade.server.sim.cluster;

import static dev.colonnade.server.sim.cluster.FigureScenario.ALL;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.admin.v1.ApplySetAsideRequest;
import dev.colonnade.admin.v1.ClusterServiceGrpc;
import dev.colonnade.admin.v1.CompactRequest;
import dev.colonnade.admin.v1.CompactResponse;
import dev.colonnade.admin.v1.DescribeRingRequest;
import dev.colonnade.admin.v1.DescribeSplitsRequest;
import dev.colonnade.admin.v1.DescribeSplitsResponse;
import dev.colonnade.admin.v1.GetGossipStateRequest;
import dev.colonnade.admin.v1.GetInfoRequest;
import dev.colonnade.admin.v1.GetInfoResponse;
import dev.colonnade.admin.v1.GossipEntry;
import dev.colonnade.admin.v1.HintQueue;
import dev.colonnade.admin.v1.ListHintsRequest;
import dev.colonnade.admin.v1.ListSnapshotsRequest;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.admin.v1.Progress;
import dev.colonnade.admin.v1.QuarantinedFile;
import dev.colonnade.admin.v1.RepairRequest;
import dev.colonnade.admin.v1.RepairResponse;
import dev.colonnade.admin.v1.RingNode;
import dev.colonnade.admin.v1.Snapshot;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.service.backup.SnapshotAnswers;
import dev.colonnade.server.service.backup.SnapshotOperations;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.v1.ConsistencyLevel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.function.Executable;

/** What a node says of itself and of the others. */
final class NodeFigureClaims {

  private final FigureScenario cluster;
  private int snapshots;

  NodeFigureClaims(FigureScenario cluster) {
    this.cluster = cluster;
  }

  void addTo(Map<String, Executable> claims) {
    claims.put("GetInfoResponse.uptime", this::theTimeSinceTheStart);
    claims.put("GetInfoResponse.heap_used_bytes", this::whatTheMachineSaysOfMemory);
    claims.put("GetInfoResponse.offheap_used_bytes", this::whatTheMachineSaysOfMemory);
    claims.put("RingNode.owns", this::sharesOfTheRing);
    claims.put("RingNode.load_bytes", this::bytesOfDataFiles);
    claims.put("RingNode.phi", this::theSuspicionOfANodeThatIsSilent);
    claims.put("GossipEntry.phi", this::theSuspicionOfANodeThatIsSilent);
    claims.put("GossipEntry.version", this::aHeartbeat);
    claims.put("GossipEntry.generation", this::aStart);
    for (String figure : new String[] {"hints", "oldest_micros", "bytes"}) {
      claims.put("HintQueue." + figure, () -> writesForANodeThatIsAway(figure));
    }
    claims.put("RingNode.hints_pending", () -> writesForANodeThatIsAway("pending"));
    claims.put("DescribeSplitsResponse.estimated_keys", () -> partsOfAFamily("keys"));
    claims.put("DescribeSplitsResponse.estimated_bytes", () -> partsOfAFamily("bytes"));
    claims.put("Progress.done", () -> aMergeTellsHowFarItIs("done"));
    claims.put("Progress.total", () -> aMergeTellsHowFarItIs("total"));
    claims.put("RepairResponse.mismatched_ranges", this::aReplicaThatDiffers);
    claims.put("QuarantinedFile.records", () -> recordsThatAreSetAside("records"));
    claims.put("ApplySetAsideResponse.applied", () -> recordsThatAreSetAside("applied"));
    for (String figure :
        new String[] {
          "created_micros",
          "column_families",
          "files",
          "size_bytes",
          "new_bytes",
          "freed_bytes",
          "missing_files"
        }) {
      claims.put("Snapshot." + figure, this::snapshotsOfAFamily);
    }
    new TrafficFigureClaims(cluster).addTo(claims);
  }

  private Machine<CoreNode> third() {
    return cluster.world.machines().get(2);
  }

  private GetInfoResponse info() {
    return cluster.call(
        0,
        channel ->
            NodeServiceGrpc.newFutureStub(channel).getInfo(GetInfoRequest.getDefaultInstance()));
  }

  private void theTimeSinceTheStart() {
    long before = info().getUptime().getSeconds();
    cluster.world.advance(Duration.ofSeconds(7));
    FigureScenario.requireNear(before + 7, info().getUptime().getSeconds(), 1);
  }

  private void whatTheMachineSaysOfMemory() {
    assertEquals(CoreNode.HEAP_BYTES, info().getHeapUsedBytes());
    assertEquals(CoreNode.OFFHEAP_BYTES, info().getOffheapUsedBytes());
  }

  private List<RingNode> ring() {
    return cluster
        .call(
            0,
            channel ->
                ClusterServiceGrpc.newFutureStub(channel)
                    .describeRing(DescribeRingRequest.getDefaultInstance()))
        .getNodesList();
  }

  private RingNode ringNode(int of) {
    return ring().stream()
        .filter(node -> node.getEndpoint().getNodeId().equals(cluster.id(of)))
        .findFirst()
        .orElseThrow();
  }

  private void sharesOfTheRing() {
    double all = 0;
    for (RingNode node : ring()) {
      assertTrue(node.getOwns() > 0 && node.getOwns() < 1, "a share of three: " + node.getOwns());
      all += node.getOwns();
    }
    assertEquals(1, all, 1e-9);
  }

  private void bytesOfDataFiles() {
    String family = cluster.family("Load");
    cluster.insert(0, family, "row", "a", "value".repeat(100));
    long before = ringNode(0).getLoadBytes();
    cluster.flush(0, family);
    assertEquals(
        before + cluster.stats(0, family).getDiskBytes(),
        ringNode(0).getLoadBytes(),
        "all components of the new file");
  }

  private GossipEntry gossip(int at, String of) {
    return cluster
        .call(
            at,
            channel ->
                NodeServiceGrpc.newFutureStub(channel)
                    .getGossipState(GetGossipStateRequest.getDefaultInstance()))
        .getEntriesList()
        .stream()
        .filter(entry -> entry.getNodeId().equals(of))
        .findFirst()
        .orElseThrow();
  }

  private void theSuspicionOfANodeThatIsSilent() {
    String id = cluster.id(2);
    double before = gossip(0, id).getPhi();
    third().pause();
    cluster.world.advance(Duration.ofSeconds(6));
    double told = gossip(0, id).getPhi();
    assertTrue(told > before + 1, "it grows while nothing is heard: " + before + ", " + told);
    assertTrue(ringNode(2).getPhi() >= told);
    third().resume();
    cluster.world.advance(Duration.ofSeconds(20));
    assertTrue(gossip(0, id).getPhi() < 2, "it is heard again");
  }

  private void aHeartbeat() {
    long before = gossip(0, cluster.id(1)).getVersion();
    cluster.world.advance(Duration.ofSeconds(5));
    long gained = gossip(0, cluster.id(1)).getVersion() - before;
    assertTrue(gained >= 3 && gained <= 8, "one in a second: " + gained);
  }

  private void restart(Machine<CoreNode> machine) throws Exception {
    machine.start();
    cluster.awaitRing(3);
  }

  private void aStart() throws Exception {
    String id = cluster.id(2);
    long before = gossip(0, id).getGeneration();
    third().kill();
    restart(third());
    cluster.world.advance(Duration.ofSeconds(5));
    assertTrue(gossip(0, id).getGeneration() > before);
  }

  private List<HintQueue> hintsFor(String id) {
    return cluster
        .call(
            0,
            channel ->
                NodeServiceGrpc.newFutureStub(channel)
                    .listHints(ListHintsRequest.getDefaultInstance()))
        .getQueuesList()
        .stream()
        .filter(queue -> queue.getTargetNodeId().equals(id))
        .toList();
  }

  private void writesForANodeThatIsAway(String figure) throws Exception {
    String family = cluster.family("Hints_" + figure);
    String id = cluster.id(2);
    // What other claims have left behind is delivered first.
    assertTrue(
        cluster.world.runUntil(
            () -> cluster.node(0).core().clusterOperations().hints().isEmpty(),
            Duration.ofMinutes(20)));
    third().kill();
    assertTrue(
        cluster.world.runUntil(
            () -> !cluster.node(0).core().cluster().topology().isAlive(id), FigureScenario.LIMIT));
    assertEquals(List.of(), hintsFor(id));
    long from = cluster.world.machines().get(0).clock().wallMicros();
    for (int i = 0; i < 3; i++) {
      cluster.insert(
          0,
          family,
          "row" + i,
          FigureScenario.column("a", "1"),
          ConsistencyLevel.CONSISTENCY_LEVEL_QUORUM);
    }
    assertTrue(
        cluster.world.runUntil(
            () ->
                cluster.node(0).core().clusterOperations().hints().stream()
                    .anyMatch(queue -> queue.targetId().equals(id) && queue.hints() == 3),
            FigureScenario.LIMIT));
    HintQueue queue = hintsFor(id).get(0);
    assertEquals(3, queue.getHints());
    FigureScenario.requireNear(from, queue.getOldestMicros(), 100_000);
    assertTrue(queue.getBytes() >= 3 * 20, "three records: " + queue.getBytes());
    RingNode away =
        ring().stream()
            .filter(node -> node.getEndpoint().getNodeId().equals(id))
            .findFirst()
            .orElseThrow();
    assertEquals(3, away.getHintsPending());
    restart(third());
    assertTrue(
        cluster.world.runUntil(
            () -> cluster.node(0).core().clusterOperations().hints().isEmpty(),
            FigureScenario.LIMIT),
        "they are delivered");
    assertEquals(0, ringNode(2).getHintsPending());
  }

  private Snapshot snapshot(String name) {
    return cluster
        .call(
            0,
            channel ->
                NodeServiceGrpc.newFutureStub(channel)
                    .listSnapshots(ListSnapshotsRequest.getDefaultInstance()))
        .getSnapshotsList()
        .stream()
        .filter(each -> each.getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private void take(String family, String name) {
    CoreNode node = cluster.node(0);
    FamilyId id;
    try {
      id = node.family(ALL, family).id();
    } catch (SchemaException e) {
      throw new AssertionError(e);
    }
    SnapshotOperations snapshots = node.core().backend().snapshots();
    CompletableFuture<SnapshotAnswers> taken =
        snapshots.take(name, List.of(id), false, progress -> {});
    assertTrue(cluster.world.runUntil(taken::isDone, FigureScenario.LIMIT));
    assertEquals(List.of(), taken.join().failed());
  }

  private void snapshotsOfAFamily() {
    String prefix = "s" + snapshots++;
    String family = cluster.family("Snapshots_" + prefix);
    cluster.insert(0, family, "row", "a", "value".repeat(100));
    long from = cluster.world.machines().get(0).clock().wallMicros();
    take(family, prefix + "-1");
    Snapshot first = snapshot(prefix + "-1");
    FigureScenario.requireNear(from, first.getCreatedMicros(), 1_000_000);
    assertEquals(1, first.getColumnFamilies());
    assertEquals(1, first.getFiles());
    assertTrue(first.getSizeBytes() > 0);
    assertEquals(first.getSizeBytes(), first.getNewBytes(), "no older snapshot has the file");
    assertEquals(0, first.getFreedBytes(), "the file is live");
    assertEquals(0, first.getMissingFiles());
    cluster.insert(0, family, "row", "a", "other".repeat(100));
    take(family, prefix + "-2");
    Snapshot second = snapshot(prefix + "-2");
    assertEquals(2, second.getFiles());
    assertEquals(second.getSizeBytes() - first.getSizeBytes(), second.getNewBytes());
  }

  private void partsOfAFamily(String figure) {
    String family = cluster.family("Splits_" + figure);
    assertEquals(0, splits(family).stream().mapToLong(each -> each.getEstimatedKeys()).sum());
    for (int i = 0; i < 100; i++) {
      cluster.insert(0, family, "row" + i, "a", "value");
    }
    cluster.flush(0, family);
    long keys = splits(family).stream().mapToLong(each -> each.getEstimatedKeys()).sum();
    assertTrue(keys >= 80 && keys <= 120, "about a hundred keys: " + keys);
    long bytes = splits(family).stream().mapToLong(each -> each.getEstimatedBytes()).sum();
    long live = cluster.stats(0, family).getLiveBytes();
    assertTrue(bytes > live / 2 && bytes <= live * 3 / 2, bytes + " of about " + live + " bytes");
  }

  private List<DescribeSplitsResponse> splits(String family) {
    DescribeSplitsRequest request =
        DescribeSplitsRequest.newBuilder()
            .setKeyspace(ALL)
            .setColumnFamily(family)
            .setKeysPerSplit(10)
            .build();
    return cluster.stream(
        0,
        (channel, observer) ->
            ClusterServiceGrpc.newStub(channel).describeSplits(request, observer));
  }

  private void aMergeTellsHowFarItIs(String figure) {
    String family = cluster.family("Progress_" + figure);
    for (int file = 0; file < 2; file++) {
      cluster.insert(0, family, "row", "a", "value".repeat(50));
      cluster.flush(0, family);
    }
    long bytes = cluster.stats(0, family).getLiveBytes();
    CompactRequest request =
        CompactRequest.newBuilder().setKeyspace(ALL).addColumnFamilies(family).build();
    List<CompactResponse> told =
        cluster.stream(
            0, (channel, observer) -> NodeServiceGrpc.newStub(channel).compact(request, observer));
    Progress last = told.get(told.size() - 1).getProgress();
    assertEquals("done", last.getPhase());
    assertEquals(bytes, last.getTotal());
    assertEquals(bytes, last.getDone());
  }

  private void aReplicaThatDiffers() {
    String family = cluster.family("Mismatched");
    cluster.insert(0, family, "row", "a", "1");
    assertEquals(0, mismatched(family));
    cluster.await(
        cluster.world.machines().get(1),
        node -> node.core().engine().write(alone(node, family), true));
    assertTrue(mismatched(family) > 0);
    assertEquals(0, mismatched(family), "they are equal now");
  }

  /** A column that is written to one node's store. */
  static Mutation alone(CoreNode node, String family) {
    try {
      ColumnFamily target = node.family(ALL, family);
      Cell cell = Cell.live(new byte[] {'b'}, null, new byte[] {'2'}, node.clock().wallMicros());
      RowUpdate update = RowUpdate.builder(target.order()).add(cell).build();
      return new Mutation(
          CoreNode.key("row"),
          List.of(new Mutation.FamilyMutation(target.id(), update)),
          node.clock().wallSeconds());
    } catch (SchemaException e) {
      throw new AssertionError(e);
    }
  }

  /** As hints that could not be applied are. */
  private void recordsThatAreSetAside(String figure) {
    String family = cluster.family("SetAside_" + figure);
    cluster.await(
        cluster.world.machines().get(0),
        node ->
            node.core()
                .engine()
                .setAside()
                .keep(alone(node, family), new IllegalStateException("odd")));
    QuarantinedFile file =
        cluster.stats(0).getQuarantinedFilesList().stream()
            .filter(each -> each.getColumnFamily().equals(family))
            .findFirst()
            .orElseThrow();
    assertEquals(1, file.getRecords());
    ApplySetAsideRequest request =
        ApplySetAsideRequest.newBuilder()
            .setKeyspace(ALL)
            .setColumnFamily(family)
            .setNumber(file.getNumber())
            .build();
    assertEquals(
        1,
        cluster
            .call(0, channel -> NodeServiceGrpc.newFutureStub(channel).applySetAside(request))
            .getApplied());
    assertEquals(0, cluster.stats(0, family).getQuarantinedFiles());
    assertEquals(1, cluster.read(0, family, "row").getColumnsCount());
  }

  private long mismatched(String family) {
    RepairRequest request =
        RepairRequest.newBuilder().setKeyspace(ALL).addColumnFamilies(family).build();
    List<RepairResponse> told =
        cluster.stream(
            0, (channel, observer) -> NodeServiceGrpc.newStub(channel).repair(request, observer));
    return told.get(told.size() - 1).getMismatchedRanges();
  }
}

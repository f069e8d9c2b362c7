package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.cluster.hints.HintFigures;
import dev.colonnade.server.cluster.membership.MembershipException;
import dev.colonnade.server.cluster.membership.MembershipProgress;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.cluster.net.VerbFigures;
import dev.colonnade.server.cluster.repair.RepairProgress;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.admin.ClusterOperations;
import dev.colonnade.server.service.admin.FamilyLoad;
import dev.colonnade.server.service.admin.KeySplit;
import dev.colonnade.server.service.admin.MemberFigures;
import dev.colonnade.server.service.admin.NodeOperations;
import dev.colonnade.server.service.consistency.ClusterView;
import dev.colonnade.server.storage.engine.FamilyFigure;
import dev.colonnade.server.storage.engine.FamilyFigures;
import dev.colonnade.server.storage.engine.QuarantinedFile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** A node alone on its ring, which records operations and does nothing. */
final class TestNode implements ClusterView, NodeOperations, ClusterOperations, RingAdmin {

  private final Partitioner partitioner;
  private volatile Topology topology;
  final List<String> flushed = new ArrayList<>();
  final List<Runnable> looks = new CopyOnWriteArrayList<>();
  volatile double phi;

  /** Without this node there are too few. */
  volatile String neededNode = "";

  CompletableFuture<Void> compaction = CompletableFuture.completedFuture(null);

  TestNode(Partitioner partitioner) {
    this.partitioner = partitioner;
    this.topology =
        Topology.alone(
            new RingNode("n1", "127.0.0.1", 7000, 9160, "dc1", "r1", List.of(new byte[] {1, 2})));
  }

  @Override
  public String clusterName() {
    return "test";
  }

  @Override
  public String nodeId() {
    return "n1";
  }

  @Override
  public Partitioner partitioner() {
    return partitioner;
  }

  @Override
  public String snitch() {
    return "SimpleSnitch";
  }

  @Override
  public String serverVersion() {
    return "0.1.0";
  }

  @Override
  public Topology topology() {
    return topology;
  }

  @Override
  public NodeFigures node() {
    return new NodeFigures(1_500_000_000L, 10, 20, 30);
  }

  @Override
  public List<Scheduler.StageFigures> stages() {
    return List.of(new Scheduler.StageFigures(Stage.READ, 1, 2, 3, 4, 5, Duration.ofMillis(6)));
  }

  @Override
  public List<VerbFigures> messages() {
    return List.of(new VerbFigures(Verb.MUTATION, 1, 2, 3, 4, 5, 6, 1, 7.5));
  }

  @Override
  public List<MemberFigures> members() {
    return topology.places().stream().map(this::member).toList();
  }

  private MemberFigures member(Topology.Place place) {
    RingNode node = place.node();
    boolean self = node.id().equals("n1");
    return new MemberFigures(
        node.id(),
        node.address(),
        node.peerPort(),
        5,
        6,
        new TreeMap<>(Map.of("LOAD", "30")),
        place.alive() ? MemberFigures.Liveness.UP : MemberFigures.Liveness.DOWN,
        false,
        self ? 0 : phi,
        30,
        self ? "v1" : "v2");
  }

  @Override
  public List<HintFigures> hints() {
    return List.of(new HintFigures("n2", 3, 4, 5, false, 0, 0, ""));
  }

  @Override
  public List<KnownSchema> schemaVersions() {
    return topology.places().stream()
        .map(place -> member(place))
        .map(member -> new KnownSchema(member.schemaVersion(), List.of(member.nodeId())))
        .toList();
  }

  @Override
  public Watch watch(Runnable look) {
    looks.add(look);
    return () -> looks.remove(look);
  }

  /** Other nodes appear, leave or change. */
  void become(Topology changed) {
    topology = changed;
    looks.forEach(Runnable::run);
  }

  @Override
  public CompletableFuture<List<KeySplit>> splits(
      ColumnFamily family, TokenRange range, long keysWanted) {
    return CompletableFuture.completedFuture(List.of(new KeySplit(range, keysWanted, 2)));
  }

  @Override
  public CompletableFuture<Void> drain(CompletableFuture<Void> callsEnded) {
    return callsEnded;
  }

  @Override
  public CompletableFuture<RepairProgress> repair(
      List<ColumnFamily> families,
      Optional<TokenRange> within,
      boolean isDry,
      Consumer<RepairProgress> listener) {
    listener.accept(new RepairProgress(0, families.size(), 1, 0, 0, "first"));
    return CompletableFuture.completedFuture(
        new RepairProgress(families.size(), families.size(), 2, 3, 0, ""));
  }

  @Override
  public CompletableFuture<Void> decommission(
      boolean force, Consumer<MembershipProgress> listener) {
    return CompletableFuture.failedFuture(new MembershipException("the only node"));
  }

  @Override
  public CompletableFuture<Void> move(byte[] token, Consumer<MembershipProgress> listener) {
    listener.accept(new MembershipProgress("fetching", 1, 2, ""));
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<Void> loadBalance(Consumer<MembershipProgress> listener) {
    return CompletableFuture.failedFuture(
        new MembershipException("no other node to take load from"));
  }

  @Override
  public CompletableFuture<Void> cleanUp(
      List<ColumnFamily> families, Consumer<WorkProgress> listener) {
    listener.accept(new WorkProgress("cleaning", 1, 2, families.size() + " families"));
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<Void> remove(
      String nodeId, boolean force, Consumer<MembershipProgress> listener) {
    if (nodeId.equals(neededNode) && !force) {
      return CompletableFuture.failedFuture(
          new MembershipException(
              MembershipException.Reason.TOO_FEW_NODES, nodeId, "too few nodes without it"));
    }
    listener.accept(new MembershipProgress("removing", 1, 2, nodeId));
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public List<FamilyLoad> families() {
    Map<FamilyFigure, Double> figures = new EnumMap<>(FamilyFigure.class);
    for (FamilyFigure figure : FamilyFigure.values()) {
      figures.put(figure, figureOf(figure));
    }
    return List.of(
        new FamilyLoad(
            "Keyspace1",
            "Standard1",
            new FamilyFigures(
                figures,
                List.of(
                    new QuarantinedFile(
                        27,
                        QuarantinedFile.Contents.LOGGED_RECORDS,
                        30,
                        "q/27-Data.db",
                        28,
                        "rot",
                        29,
                        true)))));
  }

  /** A fraction that differs for each figure; whole numbers could coincide. */
  static double figureOf(FamilyFigure figure) {
    return 100.5 + List.of(FamilyFigure.values()).indexOf(figure);
  }

  @Override
  public CompletableFuture<Boolean> acceptLoss(ColumnFamily family, long fileNumber) {
    return CompletableFuture.completedFuture(fileNumber == 27);
  }

  @Override
  public CompletableFuture<OptionalLong> applySetAside(ColumnFamily family, long fileNumber) {
    return fileNumber == 28
        ? CompletableFuture.failedFuture(new IllegalStateException("cannot order b"))
        : CompletableFuture.completedFuture(
            fileNumber == 27 ? OptionalLong.of(30) : OptionalLong.empty());
  }

  @Override
  public CompletableFuture<List<String>> flush(List<ColumnFamily> families) {
    families.forEach(family -> flushed.add(family.qualifiedName()));
    return CompletableFuture.completedFuture(List.of("file-1"));
  }

  @Override
  public CompletableFuture<Void> scrub(
      List<ColumnFamily> families, Consumer<WorkProgress> progress) {
    progress.accept(new WorkProgress("scrubbing", 1, 3, families.get(0).qualifiedName()));
    progress.accept(new WorkProgress("done", 3, 3, "9 blocks"));
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<Void> compact(
      List<ColumnFamily> families, Consumer<WorkProgress> progress) {
    progress.accept(new WorkProgress("merging", 1, 2, families.get(0).qualifiedName()));
    progress.accept(new WorkProgress("done", 2, 2, families.get(0).qualifiedName()));
    return compaction;
  }
}

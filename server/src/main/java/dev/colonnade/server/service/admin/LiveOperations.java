package dev.colonnade.server.service.admin;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Impact;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.cluster.hints.HintFigures;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.consistency.ClusterView;
import dev.colonnade.server.service.consistency.SchemaStore;
import dev.colonnade.server.service.consistency.StorageFailures;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers administrative calls about the cluster from what this node knows. Thread-safe. */
public final class LiveOperations implements ClusterOperations {

  private static final Logger LOG = LoggerFactory.getLogger(LiveOperations.class);

  /** How long drain waits for client calls in progress. */
  private static final Duration CALLS_LIMIT = Duration.ofSeconds(10);

  /** The other nodes. Thread-safe; never blocks. */
  public interface Others {
    /** All known nodes; may include this one. */
    List<MemberFigures> members();

    /** The hints stored here for other nodes. */
    List<HintFigures> hints();

    /** Announces this node's shutdown, so that the others need not detect it. */
    void announceShutdown();

    /** No other nodes. */
    Others NONE =
        new Others() {
          @Override
          public List<MemberFigures> members() {
            return List.of();
          }

          @Override
          public List<HintFigures> hints() {
            return List.of();
          }

          @Override
          public void announceShutdown() {
            LOG.debug("there is no other node to tell of this node's shutdown");
          }
        };
  }

  private final StorageEngine engine;
  private final SchemaStore schema;
  private final ClusterView cluster;
  private final NodeOperations operations;
  private final Scheduler scheduler;
  private final Others others;
  private final Health health;
  private final PolledWatches watches;
  private final Object drainLock = new Object();
  private volatile @Nullable CompletableFuture<Void> drained;

  /**
   * Creates the operations over these parts.
   *
   * @param operations for this node's own figures
   * @param health is told that the node is drained
   */
  public LiveOperations(
      StorageEngine engine,
      SchemaStore schema,
      ClusterView cluster,
      NodeOperations operations,
      Scheduler scheduler,
      Others others,
      Health health) {
    this.engine = engine;
    this.schema = schema;
    this.cluster = cluster;
    this.operations = operations;
    this.scheduler = scheduler;
    this.others = others;
    this.health = health;
    this.watches = new PolledWatches(scheduler);
  }

  @Override
  public List<MemberFigures> members() {
    Map<String, MemberFigures> byId = new TreeMap<>();
    Topology topology = cluster.topology();
    for (Topology.Place place : topology.places()) {
      byId.put(place.node().id(), unheard(place.node(), place.alive()));
    }
    RingNode self = topology.self();
    byId.put(self.id(), unheard(self, true));
    for (MemberFigures member : others.members()) {
      byId.put(member.nodeId(), member);
    }
    byId.computeIfPresent(self.id(), (id, member) -> withOwnFigures(member));
    return List.copyOf(byId.values());
  }

  private static MemberFigures unheard(RingNode node, boolean alive) {
    return new MemberFigures(
        node.id(),
        node.address(),
        node.peerPort(),
        0,
        0,
        new TreeMap<>(),
        alive ? MemberFigures.Liveness.UP : MemberFigures.Liveness.DOWN,
        false,
        0,
        0,
        "");
  }

  /** Replaces the figures that this node last gossiped, which may be older. */
  private MemberFigures withOwnFigures(MemberFigures self) {
    return new MemberFigures(
        self.nodeId(),
        self.address(),
        self.peerPort(),
        self.generation(),
        self.version(),
        self.states(),
        MemberFigures.Liveness.UP,
        self.departed(),
        0,
        operations.node().loadBytes(),
        schema.current().version());
  }

  @Override
  public List<HintFigures> hints() {
    return others.hints().stream()
        .filter(queue -> queue.hints() > 0 || queue.damagedSegments() > 0)
        .sorted(Comparator.comparing(HintFigures::targetId))
        .toList();
  }

  @Override
  public List<KnownSchema> schemaVersions() {
    Map<String, List<String>> nodes = new TreeMap<>();
    for (MemberFigures member : members()) {
      if (member.departed()) {
        continue;
      }
      String version =
          member.liveness() == MemberFigures.Liveness.DOWN ? "" : member.schemaVersion();
      nodes.computeIfAbsent(version, none -> new ArrayList<>()).add(member.nodeId());
    }
    List<KnownSchema> versions = new ArrayList<>();
    nodes.forEach((version, ids) -> versions.add(new KnownSchema(version, ids)));
    versions.sort(
        Comparator.comparing((KnownSchema known) -> known.version().isEmpty())
            .thenComparing(known -> -known.nodeIds().size()));
    return List.copyOf(versions);
  }

  @Override
  public Watch watch(Runnable look) {
    return watches.add(look);
  }

  @Override
  public CompletableFuture<List<KeySplit>> splits(
      ColumnFamily family, TokenRange range, long keysWanted) {
    return new RangeSplits(engine, family.id(), range, keysWanted).run();
  }

  @Override
  public CompletableFuture<Void> drain(CompletableFuture<Void> callsEnded) {
    synchronized (drainLock) {
      CompletableFuture<Void> running = drained;
      if (running != null) {
        return running.copy();
      }
      CompletableFuture<Void> ended = new CompletableFuture<>();
      drained = ended;
      begin(callsEnded, ended);
      return ended.copy();
    }
  }

  private void begin(CompletableFuture<Void> callsEnded, CompletableFuture<Void> ended) {
    LOG.info("draining the node: it accepts no more calls, and flushes its memtables");
    health.raise(
        Condition.DRAINED, Impact.NOT_READY, "the node is drained and waits to be stopped");
    Then.onBehalfOf(ended, () -> flushWhenQuiet(callsEnded, ended));
  }

  private void flushWhenQuiet(CompletableFuture<Void> callsEnded, CompletableFuture<Void> ended) {
    others.announceShutdown();
    CompletableFuture<Void> quiet = new CompletableFuture<>();
    Scheduler.Cancellable limit =
        scheduler.after(CALLS_LIMIT, Stage.CONTROL, () -> quiet.complete(null));
    Then.whenDone(callsEnded, (done, failure) -> quiet.complete(null));
    Then.whenDone(
        quiet.thenCompose(
            done -> {
              limit.cancel();
              return engine.drain();
            }),
        ended,
        (done, failure) -> {
          if (failure == null) {
            LOG.info("the node is drained and can be stopped");
            ended.complete(null);
          } else {
            LOG.error(
                "the node is drained, but some memtables could not be flushed; their data is in the"
                    + " commit log and will be replayed at the next start",
                failure);
            ended.completeExceptionally(StorageFailures.translate(failure));
          }
        });
  }
}

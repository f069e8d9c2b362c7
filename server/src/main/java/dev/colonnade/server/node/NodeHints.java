package dev.colonnade.server.node;

import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.cluster.gossip.ApplicationState;
import dev.colonnade.server.cluster.gossip.Member;
import dev.colonnade.server.cluster.gossip.MemberListener;
import dev.colonnade.server.cluster.gossip.NodeStatus;
import dev.colonnade.server.cluster.hints.HintContext;
import dev.colonnade.server.cluster.hints.HintDrain;
import dev.colonnade.server.cluster.hints.HintFigures;
import dev.colonnade.server.cluster.hints.HintReceiver;
import dev.colonnade.server.cluster.hints.HintSettings;
import dev.colonnade.server.cluster.hints.HintTotals;
import dev.colonnade.server.cluster.hints.Hints;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.cluster.ring.ReplicaPlacement;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.coordinator.HintSink;
import dev.colonnade.server.service.coordinator.SchemaStore;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.mutation.Mutation;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Connects hints with the rest of the node. Thread-safe; only {@link #open} blocks. */
final class NodeHints implements HintSink, HintContext, HintReceiver.Replica, MemberListener {

  private static final Logger LOG = LoggerFactory.getLogger(NodeHints.class);

  /** Writes a row's changes to its present owners, if the hint's target no longer owns the row. */
  interface Owners {
    CompletableFuture<Void> write(Mutation mutation);
  }

  private final LiveCluster cluster;
  private final SchemaStore schema;
  private final StorageEngine engine;
  private final boolean syncBefore;
  private final Scheduler scheduler;
  private final HintReceiver receiver = new HintReceiver(this);
  private volatile @Nullable Hints hints;
  private volatile @Nullable Owners owners;

  /**
   * Creates hints that store nothing until {@link #open}.
   *
   * @param syncBefore whether a hint is durable before it counts, as a write to the log would be
   */
  NodeHints(
      LiveCluster cluster,
      SchemaStore schema,
      StorageEngine engine,
      boolean syncBefore,
      Scheduler scheduler) {
    this.cluster = cluster;
    this.schema = schema;
    this.engine = engine;
    this.syncBefore = syncBefore;
    this.scheduler = scheduler;
  }

  /** The hint settings of the node, with defaults for the rest. */
  static HintSettings settings(ClusterSettings cluster) {
    return HintSettings.DEFAULT.withHarvestPeriod(cluster.hintInterval());
  }

  /**
   * Accepts hints from other nodes, even if this node stores none. Call before the messenger
   * starts.
   *
   * @param refusal why it accepts none now; empty if it does
   */
  void receive(Messenger messenger, Supplier<Optional<String>> refusal) {
    messenger.handle(Verb.HINT, receiver.unless(refusal));
  }

  /** Opens the hints stored before. Call before the messenger starts. */
  void open(Environment environment, HintSettings settings, Messenger messenger, Owners writer)
      throws IOException {
    owners = writer;
    hints =
        Hints.open(
            environment,
            settings,
            (to, body, deadlineNanos) ->
                to.id().equals(cluster.nodeId())
                    ? receiver.take(body)
                    : messenger.request(to, Verb.HINT, body, deadlineNanos),
            this);
  }

  void start() {
    Hints open = hints;
    if (open != null) {
      open.start();
      // Delivers this node's own hints: writes that its store could not take before the restart.
      open.alive(cluster.nodeId());
    }
  }

  CompletableFuture<Void> stop() {
    Hints open = hints;
    return open == null ? CompletableFuture.completedFuture(null) : open.stop();
  }

  /**
   * Delivers the hints for nodes that are up; completes when none are left, or when there was no
   * progress for a while. Hints for nodes that are down stay, and are reported.
   *
   * @param told receives how much is left
   */
  CompletableFuture<Void> deliverAll(Consumer<String> told) {
    Hints open = hints;
    return open == null
        ? CompletableFuture.completedFuture(null)
        : new HintDrain(open, this, scheduler, told).begin();
  }

  List<HintFigures> figures() {
    Hints open = hints;
    return open == null ? List.of() : open.figures();
  }

  HintTotals totals() {
    Hints open = hints;
    return open == null ? HintTotals.NONE : open.totals();
  }

  @Override
  public CompletableFuture<Boolean> keep(RingNode replica, Mutation mutation, boolean counts) {
    Hints open = hints;
    if (open == null) {
      return CompletableFuture.completedFuture(false);
    }
    boolean maySuffice = !counts || open.mayBack(mutation);
    return open.keep(replica.id(), mutation, syncBefore || counts)
        .handle(
            (kept, failure) -> {
              if (failure != null) {
                LOG.debug("a write for {} is not kept: {}", replica.id(), failure.getMessage());
              }
              return failure == null && maySuffice;
            });
  }

  @Override
  public boolean isOn() {
    return hints != null;
  }

  @Override
  public void alive(Member member) {
    Hints open = hints;
    if (open != null) {
      open.alive(member.id());
    }
  }

  /** The node may have returned before it was noticed as down, and accepts writes again. */
  @Override
  public void restarted(Member member) {
    takesWritesAgain(member);
  }

  @Override
  public void changed(Member member, ApplicationState key) {
    if (key == ApplicationState.HEALTH) {
      takesWritesAgain(member);
    }
  }

  private void takesWritesAgain(Member member) {
    Hints open = hints;
    if (open != null && member.alive() && member.impact().takesWrites()) {
      open.alive(member.id());
    }
  }

  @Override
  public void dead(Member member) {
    Hints open = hints;
    if (open != null) {
      open.dead(member.id());
    }
  }

  @Override
  public void departed(Member member) {
    Hints open = hints;
    if (open != null) {
      open.removed(member.id());
    }
  }

  @Override
  public Optional<Peer> reach(String nodeId) {
    return cluster
        .members()
        .byId(nodeId)
        .filter(member -> member.alive() && member.impact().takesWrites())
        .map(Member::peer);
  }

  @Override
  public boolean isGone(String nodeId) {
    return cluster
        .members()
        .byId(nodeId)
        .flatMap(Member::status)
        .map(NodeStatus::departed)
        .orElse(false);
  }

  @Override
  public OptionalLong gcGraceSeconds(FamilyId family) {
    ColumnFamily known = schema.current().families().get(family);
    return known == null ? OptionalLong.empty() : OptionalLong.of(known.options().gcGraceSeconds());
  }

  @Override
  public long truncation(FamilyId family) {
    ColumnFamily known = schema.current().families().get(family);
    return known == null ? 0 : known.truncation();
  }

  @Override
  public boolean isReplica(String nodeId, FamilyId family, RowKey key) {
    ColumnFamily known = schema.current().families().get(family);
    Keyspace keyspace =
        known == null ? null : schema.current().keyspace(known.keyspace()).orElse(null);
    if (keyspace == null) {
      return false;
    }
    Topology topology = cluster.topology();
    ReplicaPlacement placement = ReplicaPlacement.of(keyspace, topology.self());
    return contains(topology.replicas(placement, key.token()), nodeId)
        || contains(topology.pending(placement, key.token()), nodeId);
  }

  private static boolean contains(List<RingNode> nodes, String id) {
    return nodes.stream().anyMatch(node -> node.id().equals(id));
  }

  @Override
  public CompletableFuture<Void> handOver(Mutation mutation) {
    Owners writer = owners;
    return writer == null
        ? CompletableFuture.failedFuture(new IllegalStateException("the node is not open yet"))
        : writer.write(mutation);
  }

  @Override
  public boolean knows(FamilyId family) {
    return schema.current().families().containsKey(family);
  }

  @Override
  public CompletableFuture<Void> apply(Mutation mutation) {
    return engine.write(mutation, true);
  }

  @Override
  public CompletableFuture<Void> setAside(Mutation mutation, Throwable why) {
    return engine.setAside().keep(mutation, why);
  }
}

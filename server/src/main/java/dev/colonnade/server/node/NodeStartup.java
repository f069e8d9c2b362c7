package dev.colonnade.server.node;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.gossip.Gossiper;
import dev.colonnade.server.cluster.membership.Membership;
import dev.colonnade.server.cluster.membership.MembershipException;
import dev.colonnade.server.cluster.membership.ThrottledProgress;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.cluster.streaming.Streams;
import dev.colonnade.server.service.coordinator.ClusterSchema;
import dev.colonnade.server.service.coordinator.IncreasingTimestamps;
import dev.colonnade.server.service.coordinator.LocalSchema;
import dev.colonnade.server.service.coordinator.NodeOperations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a node whose store is open join its cluster, and announces its shutdown.
 *
 * <p>The order of a start:
 *
 * <ul>
 *   <li>Load the saved state, create missing keyspaces, and save the next generation before any
 *       node hears of it.
 *   <li>Start to receive messages without announcing anything.
 *   <li>A node with saved tokens checks that no other node uses its host id and that it still
 *       belongs to the ring.
 *   <li>Start to gossip, then enter the ring with the saved tokens, bootstrap, or take first
 *       tokens.
 * </ul>
 *
 * <p>A fatal problem in between fails the start.
 *
 * <p>Thread-safe; nothing here blocks.
 */
final class NodeStartup {

  private static final Logger LOG = LoggerFactory.getLogger(NodeStartup.class);

  /**
   * How often the node's load is gossiped: often enough for operators, and for new nodes that look
   * for the most loaded node.
   */
  private static final Duration LOAD_PERIOD = Duration.ofSeconds(10);

  /** How often a joining node logs its progress. */
  private static final Duration LOG_PERIOD = Duration.ofSeconds(5);

  /**
   * How many remembered nodes are asked about this node's host id. One answer is enough; some may
   * be down, or new themselves.
   */
  private static final int ASKED_MAX = 4;

  /** The parts of the node that the start needs. */
  record Parts(
      SystemLocal systemLocal,
      SystemPeers systemPeers,
      LocalSchema localSchema,
      ClusterSchema schema,
      LiveCluster cluster,
      Messenger messenger,
      Streams streams,
      NodeHints hints,
      NodeOperations operations,
      IncreasingTimestamps timestamps) {}

  private final NodeRuntime.RuntimeParts parts;
  private final Parts runtime;
  private final InitialTokens initialTokens;
  private final FatalStop ending;

  private volatile @Nullable Membership membership;

  /** Used by CONTROL only. */
  private final List<Scheduler.Cancellable> timers = new ArrayList<>();

  NodeStartup(NodeRuntime.RuntimeParts parts, Parts rooms) {
    this.parts = parts;
    this.runtime = rooms;
    this.initialTokens = new InitialTokens(parts, rooms.messenger().self().address());
    this.ending = new FatalStop(() -> onControl(this::announceShutdown));
  }

  FatalStop ending() {
    return ending;
  }

  /** Fails before {@link #begin} has started to gossip. */
  Membership membership() {
    Membership known = membership;
    if (known == null) {
      throw new IllegalStateException("the node has not begun to gossip yet");
    }
    return known;
  }

  /** Announces the shutdown by gossip and stops the messenger. Idempotent. For CONTROL. */
  void announceShutdown() {
    timers.forEach(Scheduler.Cancellable::cancel);
    runtime.cluster().leave();
    runtime.messenger().stop();
  }

  /**
   * Joins the cluster; the node can serve when the future completes. A node that joins a ring with
   * data bootstraps first, however long that takes.
   *
   * @param keyspaces created unless keyspaces of these names exist
   */
  CompletableFuture<Void> begin(List<KeyspaceDefinition> keyspaces) {
    CompletableFuture<SystemLocal.Saved> loaded = runtime.systemLocal().load();
    for (KeyspaceDefinition keyspace : keyspaces) {
      loaded = loaded.thenCompose(state -> create(keyspace).thenApply(created -> state));
    }
    return loaded
        .thenCompose(this::nextGeneration)
        .thenCompose(this::unlessDeparted)
        .thenCompose(
            kept ->
                runtime
                    .systemPeers()
                    .load()
                    .thenCompose(
                        remembered ->
                            onControl(() -> prepare(kept, remembered))
                                .thenCompose(prepared -> ending.orEnded(mayStart(kept, remembered)))
                                .thenCompose(free -> onControl(this::beginToGossip)))
                    .thenCompose(begun -> ending.orEnded(joinRing(kept))));
  }

  private CompletableFuture<Void> create(KeyspaceDefinition keyspace) {
    if (runtime.localSchema().current().keyspace(keyspace.name()).isPresent()) {
      return CompletableFuture.completedFuture(null);
    }
    return runtime
        .localSchema()
        .createConfigured(keyspace)
        .thenAccept(
            version -> {
              if (runtime.localSchema().current().keyspace(keyspace.name()).isPresent()) {
                LOG.info("keyspace {} created from the configuration file", keyspace.name());
              } else {
                LOG.warn(
                    "keyspace {} of the configuration file was dropped, and is not made again;"
                        + " create it by a statement if it is wanted",
                    keyspace.name());
              }
            });
  }

  /**
   * Saves a generation greater than the last one, even for a second start within one second or a
   * clock that went back.
   */
  private CompletableFuture<SystemLocal.Saved> nextGeneration(SystemLocal.Saved kept) {
    long generation = Gossiper.nextGeneration(kept.generation(), parts.environment().clock());
    return runtime
        .systemLocal()
        .saveStart(generation, runtime.messenger().self().address().toString())
        .thenApply(done -> kept.withGeneration(generation));
  }

  private CompletableFuture<SystemLocal.Saved> unlessDeparted(SystemLocal.Saved kept) {
    return kept.departed()
        ? CompletableFuture.failedFuture(
            new IllegalStateException(
                "this node has left its cluster for good, and its data is with the others. To let"
                    + " it join again, start it with an empty data directory"))
        : CompletableFuture.completedFuture(kept);
  }

  private CompletableFuture<Void> onControl(Runnable task) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Runnable run =
        () -> {
          try {
            task.run();
            done.complete(null);
          } catch (RuntimeException | Error e) {
            done.completeExceptionally(e);
          }
        };
    if (!parts.environment().scheduler().submit(Stage.CONTROL, run)) {
      done.completeExceptionally(new IllegalStateException("the node is stopping"));
    }
    return done;
  }

  private void shareTimestamps(Topology topology) {
    runtime
        .timestamps()
        .shareWith(
            topology.places().stream().map(place -> place.node().id()).toList(),
            runtime.messenger().self().id());
  }

  /** Starts to receive messages; the node announces nothing of itself yet. */
  private void prepare(SystemLocal.Saved kept, List<RingNode> remembered) {
    Environment environment = parts.environment();
    List<byte[]> tokens =
        kept.tokens().isEmpty()
            ? List.of(parts.partitioner().randomToken(environment.random().fork("placeholder")))
            : kept.tokens();
    runtime
        .cluster()
        .prepare(
            new LiveCluster.InitialRingState(
                tokens,
                runtime.systemLocal().tokensSince(),
                !kept.tokens().isEmpty(),
                kept.replaced()),
            reason -> ending.end(reason),
            remembered,
            runtime.systemPeers().gone(),
            kept.generation(),
            runtime.schema().current().version());
    runtime.cluster().liveTopology().listen(runtime.systemPeers()::save);
    runtime.cluster().liveTopology().listen(this::shareTimestamps);
    shareTimestamps(runtime.cluster().liveTopology().current());
    membership =
        new Membership(
            runtime.cluster().gossiper(),
            runtime.cluster().liveTopology(),
            runtime.streams(),
            runtime.messenger(),
            parts.partitioner(),
            runtime.schema()::current,
            environment.clock(),
            environment.scheduler(),
            parts.membership(),
            new SystemMembershipStore(runtime.systemLocal(), runtime.hints(), parts.health()));
    runtime.messenger().start();
  }

  /**
   * Checks a node that was in the ring: no other node may use its host id, and it must still belong
   * to the ring.
   */
  private CompletableFuture<Void> mayStart(SystemLocal.Saved kept, List<RingNode> remembered) {
    if (kept.tokens().isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    List<PeerAddress> knowing = new ArrayList<>(initialTokens.otherSeeds());
    remembered.stream()
        .limit(ASKED_MAX)
        .forEach(node -> knowing.add(new PeerAddress(node.address(), node.peerPort())));
    return runtime
        .cluster()
        .identityCheck()
        .beforeStart(knowing, kept.address())
        .thenAccept(
            refusal ->
                refusal.ifPresent(
                    reason -> {
                      throw new MembershipException(reason);
                    }));
  }

  private void beginToGossip() {
    runtime.cluster().start();
    runtime.hints().start();
    runtime.streams().start();
    timers.add(runtime.schema().start());
    timers.add(
        parts.environment().scheduler().every(LOAD_PERIOD, Stage.CONTROL, this::announceLoad));
  }

  private CompletableFuture<Void> joinRing(SystemLocal.Saved kept) {
    if (!kept.tokens().isEmpty()) {
      return membership().enter(kept.tokens(), kept.replaced());
    }
    if (initialTokens.fetchesData()) {
      return membership()
          .bootstrap(
              initialTokens.chosenForData(parts.environment().random().fork("token")),
              parts.replacedNode(),
              new ThrottledProgress(
                  parts.environment().clock(),
                  LOG_PERIOD,
                  step -> LOG.info("joining: {}", step.text())));
    }
    List<byte[]> tokens = initialTokens.chosen(parts.environment().random().fork("token"));
    return membership()
        .found(tokens, !initialTokens.otherSeeds().isEmpty())
        .thenCompose(
            founded ->
                onControl(
                    () -> runtime.cluster().liveTopology().listen(made -> detectLateConflict())));
  }

  /**
   * Stops this node if no seed answered when it took its tokens, and gossip now shows that another
   * node has its address.
   */
  private void detectLateConflict() {
    membership()
        .formerSelf()
        .ifPresent(
            reason -> {
              Then.whenDone(membership().giveUp(), (kept, failure) -> ending.end(reason));
            });
  }

  private void announceLoad() {
    runtime.cluster().announceLoad(runtime.operations().node().loadBytes());
  }
}

package dev.colonnade.server.node;

import dev.colonnade.server.async.Then;
import dev.colonnade.server.coordinator.ClusterSchema;
import dev.colonnade.server.coordinator.IncreasingTimestamps;
import dev.colonnade.server.coordinator.LocalSchema;
import dev.colonnade.server.coordinator.NodeOperations;
import dev.colonnade.server.env.Environment;
import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.env.Stage;
import dev.colonnade.server.gossip.Gossiper;
import dev.colonnade.server.membership.Membership;
import dev.colonnade.server.membership.MembershipException;
import dev.colonnade.server.membership.ThrottledProgress;
import dev.colonnade.server.net.Messenger;
import dev.colonnade.server.net.PeerAddress;
import dev.colonnade.server.ring.RingNode;
import dev.colonnade.server.ring.Topology;
import dev.colonnade.server.schema.KeyspaceDefinition;
import dev.colonnade.server.streaming.Streams;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a node whose store is open comes to take part in its cluster, and how it falls silent.
 * Thread-safe; nothing here waits.
 */
final class NodeStartup {

  private static final Logger LOG = LoggerFactory.getLogger(NodeStartup.class);

  /** Often enough for people and for new nodes that look for the fullest one. */
  private static final Duration LOAD_PERIOD = Duration.ofSeconds(10);

  /** How often a node that joins says how far it is. */
  private static final Duration LOG_PERIOD = Duration.ofSeconds(5);

  /** One of them is enough; they may be down, or new themselves. */
  private static final int ASKED_MAX = 4;

  /** What a node is reached by and what it remembers. */
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

  /** Of CONTROL. */
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

  /** There is none before {@link #begin} has got so far. */
  Membership membership() {
    Membership known = membership;
    if (known == null) {
      throw new IllegalStateException("the node has not begun to gossip yet");
    }
    return known;
  }

  /** Idempotent. For CONTROL. */
  void announceShutdown() {
    timers.forEach(Scheduler.Cancellable::cancel);
    runtime.cluster().leave();
    runtime.messenger().stop();
  }

  /**
   * Takes the node's place in its rooms.cluster(); it can serve when the future completes. A node
   * that joins a ring with data first fetches its share, however long that takes.
   *
   * @param keyspaces made unless there are some of these names
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

  /** Greater with each start, also within one second and when the clock goes back. */
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

  /** From here on the node hears others, and says nothing of itself yet. */
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

  /** A node that was in the ring must be the only one of its id, and still belong there. */
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

  /** No seed answered when this node took its place; now others say whose place this is. */
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

package dev.colonnade.server.node;

import dev.colonnade.server.config.AddressSettings;
import dev.colonnade.server.config.ClusterSettings;
import dev.colonnade.server.coordinator.ClusterOperations;
import dev.colonnade.server.coordinator.ClusterSchema;
import dev.colonnade.server.coordinator.ClusterView;
import dev.colonnade.server.coordinator.Coordinator;
import dev.colonnade.server.coordinator.CoordinatorSettings;
import dev.colonnade.server.coordinator.IncreasingTimestamps;
import dev.colonnade.server.coordinator.LiveOperations;
import dev.colonnade.server.coordinator.LocalOperations;
import dev.colonnade.server.coordinator.LocalSchema;
import dev.colonnade.server.coordinator.NodeOperations;
import dev.colonnade.server.coordinator.ReplicaService;
import dev.colonnade.server.coordinator.SchemaStore;
import dev.colonnade.server.coordinator.TimestampSource;
import dev.colonnade.server.coordinator.Truncation;
import dev.colonnade.server.engine.EngineSettings;
import dev.colonnade.server.engine.StorageEngine;
import dev.colonnade.server.engine.StorageOpening;
import dev.colonnade.server.env.Environment;
import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.env.Stage;
import dev.colonnade.server.gossip.Gossiper;
import dev.colonnade.server.gossip.Locations;
import dev.colonnade.server.hints.HintSettings;
import dev.colonnade.server.manifest.NodeIdentity;
import dev.colonnade.server.membership.Membership;
import dev.colonnade.server.membership.MembershipSettings;
import dev.colonnade.server.net.Messenger;
import dev.colonnade.server.net.Peer;
import dev.colonnade.server.net.PeerAddress;
import dev.colonnade.server.net.Transport;
import dev.colonnade.server.repair.RepairSettings;
import dev.colonnade.server.repair.Repairs;
import dev.colonnade.server.ring.InvalidTokenException;
import dev.colonnade.server.ring.Partitioner;
import dev.colonnade.server.ring.RingNode;
import dev.colonnade.server.schema.KeyspaceDefinition;
import dev.colonnade.server.schema.NameTypeResolver;
import dev.colonnade.server.schema.SchemaException;
import dev.colonnade.server.streaming.StreamSettings;
import dev.colonnade.server.streaming.Streams;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node without its doors: everything between the seams and the services, wired. The real node
 * puts the machine below it and gRPC above; the simulated one a virtual world.
 *
 * <p>Thread-safe. Only {@link #open} does file work on the caller's thread; nothing here waits.
 */
public final class NodeCore {

  private static final Logger LOG = LoggerFactory.getLogger(NodeCore.class);

  /** Often enough for people and for new nodes that look for the fullest one. */
  private static final Duration LOAD_PERIOD = Duration.ofSeconds(10);

  /**
   * What a node is built from.
   *
   * @param identity what a new store is stamped with, and what an old one must agree with
   * @param cluster how it finds and treats the others
   * @param addresses where others reach it; the ports are those that were really bound
   * @param transport to other nodes
   * @param locations where nodes stand
   * @param membership how patient changes of the ring are
   * @param coordination how replicas are waited for and mended
   * @param replacedNode the id of a dead node whose place a new node takes
   * @param memory asks the machine
   * @param version of the server
   */
  public record Parts(
      Environment environment,
      EngineSettings engine,
      NodeIdentity identity,
      Partitioner partitioner,
      NameTypeResolver types,
      ClusterSettings cluster,
      AddressSettings addresses,
      Transport transport,
      Locations locations,
      MembershipSettings membership,
      CoordinatorSettings coordination,
      Optional<String> replacedNode,
      LocalOperations.Memory memory,
      String version) {}

  private final Parts parts;
  private final StorageEngine engine;
  private final NodeIdentity identity;
  private final LocalState localState;
  private final RingMemory ringMemory;
  private final TimestampSource timestamps;
  private final LocalSchema localSchema;
  private final ClusterSchema schema;
  private final NodeHints hints;
  private final Streams streams;
  private final Repairs repairs;
  private final LocalOperations operations;
  private final Messenger messenger;
  private final LiveCluster cluster;
  private final LiveOperations clusterOperations;
  private final Coordinator coordinator;

  private volatile @Nullable Membership membership;

  /** Of CONTROL. */
  private final List<Scheduler.Cancellable> timers = new ArrayList<>();

  private NodeCore(Parts parts, StorageOpening.Opened opened) {
    Environment environment = parts.environment();
    this.parts = parts;
    this.engine = opened.engine();
    this.identity = opened.identity();
    this.localState = new LocalState(engine, parts.partitioner(), identity, environment.clock());
    this.ringMemory = new RingMemory(engine, parts.partitioner(), environment.clock());
    this.timestamps = new IncreasingTimestamps(environment.clock());
    this.localSchema =
        new LocalSchema(
            engine,
            opened.schema(),
            parts.partitioner(),
            environment.clock(),
            environment.scheduler(),
            environment.random().fork("schema"),
            timestamps);
    this.messenger =
        new Messenger(
            new Peer(
                identity.id(),
                new PeerAddress(parts.addresses().peerAddress(), parts.addresses().peerPort())),
            parts.transport(),
            environment.clock(),
            environment.scheduler());
    this.operations =
        new LocalOperations(
            engine,
            localSchema,
            environment.scheduler(),
            environment.clock(),
            parts.memory(),
            messenger::figures);
    this.cluster = new LiveCluster(parts, identity, messenger);
    this.hints = new NodeHints(cluster, localSchema, engine, parts.engine().syncBeforeAck());
    CoordinatorSettings settings = parts.coordination();
    Truncation truncation =
        new Truncation(
            engine,
            localSchema,
            cluster,
            messenger::request,
            hints,
            environment.clock(),
            environment.scheduler(),
            settings);
    this.schema =
        new ClusterSchema(
            localSchema,
            cluster,
            messenger::request,
            environment.clock(),
            environment.scheduler(),
            truncation,
            cluster::announceSchema);
    this.clusterOperations =
        new LiveOperations(
            engine,
            schema,
            cluster,
            operations,
            environment.scheduler(),
            new OtherNodes(
                cluster, hints, environment.scheduler(), parts.cluster().phiThreshold()));
    this.coordinator =
        new Coordinator(
            engine,
            schema,
            cluster,
            environment.clock(),
            environment.scheduler(),
            messenger::request,
            hints,
            settings,
            environment.random().fork("coordinator").nextLong());
    new ReplicaService(engine, schema, environment.clock()).register(messenger);
    truncation.register(messenger);
    schema.register(messenger);
    this.streams = new Streams(environment, StreamSettings.DEFAULT, engine, messenger);
    this.repairs =
        new Repairs(
            engine,
            streams,
            messenger,
            environment.clock(),
            environment.scheduler(),
            RepairSettings.DEFAULT,
            cluster::topology,
            schema::current);
    cluster.listen(hints);
    cluster.listen(new StreamWatch(streams));
    cluster.listen(new SchemaWatch(schema));
  }

  /**
   * Opens the store. Blocks for as long as that takes.
   *
   * @throws IOException as {@link StorageOpening#open}
   * @throws SchemaException as {@link StorageOpening#open}
   */
  public static NodeCore open(Parts parts) throws IOException, SchemaException {
    StorageOpening.Opened opened =
        StorageOpening.open(parts.environment(), parts.engine(), parts.identity(), parts.types());
    LOG.info("store open: {}", opened.engine().recoveryReport());
    NodeCore core = new NodeCore(parts, opened);
    if (parts.cluster().hintedHandoff()) {
      core.hints.open(
          parts.environment(), HintSettings.DEFAULT, core.messenger, core.coordinator::handOver);
    }
    return core;
  }

  /**
   * Takes the node's place in its cluster; it can serve when the future completes. A node that
   * joins a ring with data first fetches its share, however long that takes.
   *
   * @param keyspaces made unless there are some of these names
   */
  public CompletableFuture<Void> start(List<KeyspaceDefinition> keyspaces) {
    CompletableFuture<LocalState.Kept> loaded = localState.load();
    for (KeyspaceDefinition keyspace : keyspaces) {
      loaded = loaded.thenCompose(state -> create(keyspace).thenApply(created -> state));
    }
    return loaded
        .thenCompose(this::nextGeneration)
        .thenCompose(this::withTokens)
        .thenCompose(
            kept ->
                ringMemory
                    .load()
                    .thenCompose(remembered -> gossip(kept, remembered))
                    .thenCompose(begun -> takePlace(kept)));
  }

  private CompletableFuture<Void> create(KeyspaceDefinition keyspace) {
    if (localSchema.current().keyspace(keyspace.name()).isPresent()) {
      return CompletableFuture.completedFuture(null);
    }
    return localSchema
        .createKeyspace(keyspace)
        .thenAccept(
            version ->
                LOG.info("keyspace {} created from the configuration file", keyspace.name()));
  }

  /** Greater with each start, also within one second and when the clock goes back. */
  private CompletableFuture<LocalState.Kept> nextGeneration(LocalState.Kept kept) {
    long generation = Gossiper.nextGeneration(kept.generation(), parts.environment().clock());
    return localState
        .keepGeneration(generation)
        .thenApply(done -> new LocalState.Kept(kept.tokens(), generation, kept.departed()));
  }

  private CompletableFuture<LocalState.Kept> withTokens(LocalState.Kept kept) {
    if (kept.departed()) {
      return CompletableFuture.failedFuture(
          new IllegalStateException(
              "this node has left its cluster for good, and its data is with the others. To let it"
                  + " join again, start it with an empty data directory"));
    }
    if (!kept.tokens().isEmpty() || isToBootstrap()) {
      return CompletableFuture.completedFuture(kept);
    }
    byte[] chosen =
        initialToken()
            .orElseGet(
                () -> parts.partitioner().randomToken(parts.environment().random().fork("token")));
    return localState.keepTokens(List.of(chosen)).thenApply(done -> kept.with(List.of(chosen)));
  }

  private Optional<byte[]> initialToken() {
    String text = parts.cluster().initialToken();
    try {
      return text.isEmpty() ? Optional.empty() : Optional.of(parts.partitioner().parseToken(text));
    } catch (InvalidTokenException e) {
      throw new IllegalArgumentException(
          "the initial token is not one of " + parts.partitioner().name() + ": " + e.getMessage(),
          e);
    }
  }

  /** A node that others are to find the ring by is there before them. */
  private boolean isToBootstrap() {
    return parts.replacedNode().isPresent()
        || (parts.cluster().autoBootstrap()
            && Seeds.parse(parts.cluster().seeds(), parts.addresses().peerPort()).stream()
                .noneMatch(self().address()::equals)
            && !parts.cluster().seeds().isEmpty());
  }

  /** From here on the node hears of others, and they of it. */
  private CompletableFuture<Void> gossip(LocalState.Kept kept, List<RingNode> remembered) {
    CompletableFuture<Void> begun = new CompletableFuture<>();
    Runnable begin =
        () -> {
          try {
            beginToGossip(kept, remembered);
            begun.complete(null);
          } catch (RuntimeException e) {
            begun.completeExceptionally(e);
          }
        };
    if (!parts.environment().scheduler().submit(Stage.CONTROL, begin)) {
      begun.completeExceptionally(new IllegalStateException("the node is stopping"));
    }
    return begun;
  }

  private void beginToGossip(LocalState.Kept kept, List<RingNode> remembered) {
    Environment environment = parts.environment();
    List<byte[]> place =
        kept.tokens().isEmpty()
            ? List.of(parts.partitioner().randomToken(environment.random().fork("placeholder")))
            : kept.tokens();
    cluster.prepare(
        place, !kept.tokens().isEmpty(), remembered, kept.generation(), schema.current().version());
    cluster.liveTopology().listen(ringMemory::keep);
    membership =
        new Membership(
            cluster.gossiper(),
            cluster.liveTopology(),
            streams,
            messenger,
            parts.partitioner(),
            schema::current,
            environment.clock(),
            environment.scheduler(),
            parts.membership(),
            localState);
    messenger.start();
    cluster.start();
    hints.start();
    streams.start();
    timers.add(schema.start());
    timers.add(environment.scheduler().every(LOAD_PERIOD, Stage.CONTROL, this::announceLoad));
  }

  private CompletableFuture<Void> takePlace(LocalState.Kept kept) {
    return kept.tokens().isEmpty()
        ? membership()
            .bootstrap(
                initialToken(),
                parts.replacedNode(),
                step ->
                    LOG.info(
                        "joining, {}: {} of {} done, {}",
                        step.phase(),
                        step.done(),
                        step.total(),
                        step.detail()))
        : membership().enter(kept.tokens());
  }

  private void announceLoad() {
    cluster.announceLoad(operations.node().loadBytes());
  }

  /** This node as others reach it. */
  public Peer self() {
    return messenger.self();
  }

  /** This node's place in the ring and its changes; there is none before the node has started. */
  public Membership membership() {
    Membership known = membership;
    if (known == null) {
      throw new IllegalStateException("the node has not begun to gossip yet");
    }
    return known;
  }

  /** What makes replicas equal. */
  public Repairs repairs() {
    return repairs;
  }

  /** Requests for rows. */
  public Coordinator coordinator() {
    return coordinator;
  }

  /** The schema and its changes. */
  public SchemaStore schema() {
    return schema;
  }

  /** What this node is part of; answers once the node has started. */
  public ClusterView cluster() {
    return cluster;
  }

  /** What operators ask. */
  public NodeOperations operations() {
    return operations;
  }

  /** What operators ask about the cluster. */
  public ClusterOperations clusterOperations() {
    return clusterOperations;
  }

  /** Timestamps of columns written without one. */
  public TimestampSource timestamps() {
    return timestamps;
  }

  /** The store proper. */
  public StorageEngine engine() {
    return engine;
  }

  /**
   * Stops in order; completes when nothing that was acknowledged is in memory alone. What is still
   * open is closed with {@link StorageEngine#release}, once the stages are still.
   */
  public CompletableFuture<Void> stop() {
    CompletableFuture<Void> silent = new CompletableFuture<>();
    Runnable leave =
        () -> {
          timers.forEach(Scheduler.Cancellable::cancel);
          cluster.leave();
          messenger.stop();
          silent.complete(null);
        };
    if (!parts.environment().scheduler().submit(Stage.CONTROL, leave)) {
      silent.complete(null);
    }
    return silent
        .thenCompose(left -> streams.stop())
        .thenCompose(ended -> hints.stop())
        .thenCompose(stopped -> engine.stop());
  }
}

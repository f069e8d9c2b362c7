package dev.colonnade.server.node;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.config.AddressSettings;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.config.DiskFailurePolicy;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.env.Watched;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.memory.NodeMemory;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.cluster.gossip.EndpointSnitch;
import dev.colonnade.server.cluster.hints.HintTotals;
import dev.colonnade.server.cluster.membership.Membership;
import dev.colonnade.server.cluster.membership.MembershipException;
import dev.colonnade.server.cluster.membership.MembershipSettings;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.MessengerSettings;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Transport;
import dev.colonnade.server.cluster.repair.RepairSettings;
import dev.colonnade.server.cluster.repair.Repairs;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.streaming.StreamProgress;
import dev.colonnade.server.cluster.streaming.StreamSettings;
import dev.colonnade.server.cluster.streaming.Streams;
import dev.colonnade.server.service.coordinator.ClusterOperations;
import dev.colonnade.server.service.coordinator.ClusterSchema;
import dev.colonnade.server.service.coordinator.ClusterView;
import dev.colonnade.server.service.coordinator.Coordinator;
import dev.colonnade.server.service.coordinator.CoordinatorSettings;
import dev.colonnade.server.service.coordinator.IncreasingTimestamps;
import dev.colonnade.server.service.coordinator.LiveOperations;
import dev.colonnade.server.service.coordinator.LocalOperations;
import dev.colonnade.server.service.coordinator.LocalSchema;
import dev.colonnade.server.service.coordinator.NodeOperations;
import dev.colonnade.server.service.coordinator.ReplicaService;
import dev.colonnade.server.service.coordinator.SchemaStore;
import dev.colonnade.server.service.coordinator.TimestampSource;
import dev.colonnade.server.service.coordinator.Truncation;
import dev.colonnade.server.service.rpc.RpcServer;
import dev.colonnade.server.storage.engine.EngineSettings;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.engine.StorageOpening;
import dev.colonnade.server.storage.manifest.NodeIdentity;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node without its network ports: everything between the environment and the services, wired
 * together. The real node runs it over the machine's files, clock and threads and puts gRPC on top;
 * the simulation runs it in a virtual world.
 *
 * <ul>
 *   <li>Only {@link #open} does file work on the caller's thread; nothing else here blocks.
 *   <li>The wiring is fixed when the store is open; {@link #start} only joins the cluster.
 *   <li>{@link #stop} announces the shutdown first and closes the store last.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class NodeRuntime {

  private static final Logger LOG = LoggerFactory.getLogger(NodeRuntime.class);

  /**
   * The parts and settings of a node.
   *
   * @param identity what a new store is stamped with, and what an old one must agree with
   * @param cluster how it finds and treats other nodes
   * @param addresses where others reach it; the ports are those that were actually bound
   * @param transport to other nodes
   * @param snitch which data centre and rack nodes are in
   * @param membership timeouts of ring changes
   * @param streams the rate of data sent to other nodes
   * @param coordination how replicas are waited for and repaired
   * @param replacedNode the id of a dead node that a new node replaces
   * @param memory asks the machine
   * @param disks what to do when a disk fails
   * @param health every part reports to it; the owner of the node answers probes from it
   * @param version of the server
   */
  public record RuntimeParts(
      Environment environment,
      EngineSettings engine,
      NodeIdentity identity,
      Partitioner partitioner,
      ComparatorResolver types,
      ClusterSettings cluster,
      AddressSettings addresses,
      Transport transport,
      EndpointSnitch snitch,
      MembershipSettings membership,
      StreamSettings streams,
      CoordinatorSettings coordination,
      Optional<String> replacedNode,
      NodeMemory memory,
      LocalOperations.Memory memoryFigures,
      DiskFailurePolicy disks,
      Health health,
      String version) {

    private RuntimeParts withEnvironment(Environment changed) {
      return new RuntimeParts(
          changed,
          engine,
          identity,
          partitioner,
          types,
          cluster,
          addresses,
          transport,
          snitch,
          membership,
          streams,
          coordination,
          replacedNode,
          memory,
          memoryFigures,
          disks,
          health,
          version);
    }
  }

  private final RuntimeParts parts;
  private final StorageEngine engine;
  private final NodeIdentity identity;
  private final SystemLocal systemLocal;
  private final SystemPeers systemPeers;
  private final IncreasingTimestamps timestamps;
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

  private final NodeStartup startup;

  private NodeRuntime(RuntimeParts parts, StorageOpening.Opened opened) {
    Environment environment = parts.environment();
    this.parts = parts;
    this.engine = opened.engine();
    this.identity = opened.identity();
    this.systemLocal = new SystemLocal(engine, parts.partitioner(), identity, environment.clock());
    this.systemPeers = new SystemPeers(engine, parts.partitioner(), environment.clock());
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
            environment.scheduler(),
            MessengerSettings.DEFAULT,
            parts.memory().heap());
    this.operations =
        new LocalOperations(
            engine,
            localSchema,
            environment.scheduler(),
            environment.clock(),
            parts.memoryFigures(),
            messenger::figures);
    this.cluster = new LiveCluster(parts, identity, messenger);
    this.hints =
        new NodeHints(
            cluster, localSchema, engine, parts.engine().syncBeforeAck(), environment.scheduler());
    CoordinatorSettings settings = parts.coordination();
    Truncation truncation =
        new Truncation(
            localSchema,
            cluster,
            messenger::request,
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
            new ClusterFigures(
                cluster, hints, environment.scheduler(), parts.cluster().phiThreshold()),
            parts.health());
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
    new ReplicaService(engine, schema, environment.clock(), this::whyNotServing)
        .register(messenger);
    truncation.register(messenger);
    schema.register(messenger);
    this.streams = new Streams(environment, parts.streams(), engine, messenger);
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
    this.startup =
        new NodeStartup(
            parts,
            new NodeStartup.Parts(
                systemLocal,
                systemPeers,
                localSchema,
                schema,
                cluster,
                messenger,
                streams,
                hints,
                operations,
                timestamps));
    cluster.listen(
        new IdentityWatch(
            identity.id(),
            cluster::gossiper,
            cluster::identityCheck,
            systemLocal,
            environment.scheduler(),
            reason -> startup.ending().end(reason)));
    cluster.listen(hints);
    cluster.listen(systemPeers);
    cluster.listen(new DeadPeerListener(messenger));
    cluster.listen(new StreamFailureListener(streams));
    cluster.listen(new SchemaVersionListener(schema));
  }

  /**
   * Opens the store. Blocks for as long as that takes.
   *
   * @throws IOException as {@link StorageOpening#open}
   * @throws SchemaException as {@link StorageOpening#open}
   */
  public static NodeRuntime open(RuntimeParts unwatched) throws IOException, SchemaException {
    Environment seams = unwatched.environment();
    DiskWatch disks =
        new DiskWatch(unwatched.disks(), unwatched.health(), seams.scheduler(), seams.clock());
    RuntimeParts parts = unwatched.withEnvironment(disks.watched(seams));
    StorageOpening.Opened opened =
        StorageOpening.open(
            parts.environment(), parts.engine(), parts.identity(), parts.types(), parts.health());
    LOG.info("store open: {}", opened.engine().recoveryReport());
    NodeRuntime core = new NodeRuntime(parts, opened);
    core.hints.receive(core.messenger, core::whyNotServing);
    if (parts.cluster().hintedHandoff()) {
      core.hints.open(
          parts.environment(),
          NodeHints.settings(parts.cluster()),
          core.messenger,
          core.coordinator::handOver);
    }
    Then.whenDone(disks.end(), (why, none) -> core.startup.ending().end(String.valueOf(why)));
    return core;
  }

  /**
   * Joins the cluster; the node can serve when the future completes. A node that joins a ring with
   * data bootstraps first, however long that takes.
   *
   * @param keyspaces created unless keyspaces of these names exist
   */
  public CompletableFuture<Void> start(List<KeyspaceDefinition> keyspaces) {
    return startup.begin(keyspaces);
  }

  /**
   * Completes with the reason if the node cannot continue: another node has its host id or its
   * tokens, it was removed from the ring, or a disk failed. It has announced its shutdown then, and
   * must be stopped. Never fails.
   */
  public CompletableFuture<String> ended() {
    return startup.ending().reason();
  }

  /** This node's id and address, as others know them. */
  public Peer self() {
    return messenger.self();
  }

  /** This node's membership in the ring; fails before the node has started. */
  public Membership membership() {
    return startup.membership();
  }

  /**
   * Deletes rows that this node does not own. Families already done stay done if it is cancelled or
   * the node stops; repeating it does no harm.
   *
   * @param progress called now and then, and at the end, from any thread, one call at a time
   * @return fails with {@link MembershipException} while the ring is changing
   */
  public CompletableFuture<Void> cleanUp(
      List<ColumnFamily> families, Consumer<NodeOperations.WorkProgress> progress) {
    Optional<String> refusal = membership().unsettled();
    return refusal.isPresent()
        ? CompletableFuture.failedFuture(new MembershipException(refusal.get()))
        : operations.cleanUp(families, membership()::residents, progress);
  }

  /** The limits of streams. */
  StreamSettings streamSettings() {
    return parts.streams();
  }

  /** The streams of this node. */
  Streams streams() {
    return streams;
  }

  /** Anti-entropy repair. */
  public Repairs repairs() {
    return repairs;
  }

  /** Counts of hints since the start. */
  HintTotals hintTotals() {
    return hints.totals();
  }

  /** The source of timestamps for columns that clients write without one. */
  public TimestampSource timestamps() {
    return timestamps;
  }

  /** The coordinator of requests for rows. */
  public Coordinator coordinator() {
    return coordinator;
  }

  private Optional<String> whyNotServing() {
    return parts.health().report().whyNotServing();
  }

  /** What the services of this node are built on. */
  public RpcServer.Backend backend() {
    return new RpcServer.Backend(
        coordinator,
        coordinator,
        schema,
        cluster,
        operations,
        clusterOperations,
        new NodeRingAdmin(this),
        timestamps,
        parts.environment().clock(),
        parts.environment().scheduler(),
        parts.memory());
  }

  /** The schema and its changes. */
  public SchemaStore schema() {
    return schema;
  }

  /** The cluster as this node sees it; usable once the node has started. */
  public ClusterView cluster() {
    return cluster;
  }

  /** Whether this node must refresh its view of the ring before it coordinates requests. */
  boolean suspectsStaleRing() {
    return cluster.suspectsStaleRing();
  }

  /** Administrative calls to this node. */
  public NodeOperations operations() {
    return operations;
  }

  /** Administrative calls about the cluster. */
  public ClusterOperations clusterOperations() {
    return clusterOperations;
  }

  /**
   * The number of requests to other nodes in flight, of other nodes' requests being handled, and of
   * active streams.
   */
  public int callsUnderWay() {
    long moving =
        streams.figures().stream()
            .filter(
                stream ->
                    stream.state() != StreamProgress.State.DONE
                        && stream.state() != StreamProgress.State.FAILED)
            .count();
    return messenger.pendingRequests() + messenger.runningRequests() + (int) moving;
  }

  /** This node's problems, and what they mean for its service. */
  public Health health() {
    return parts.health();
  }

  /** What the watchdog checks besides the stages: every part with work of its own. */
  public List<Watched> watched() {
    return List.of(engine, streams);
  }

  /** The storage engine. */
  public StorageEngine engine() {
    return engine;
  }

  /**
   * Announces the shutdown, then stops streams, hints and the store, in this order. Completes when
   * nothing acknowledged is in memory only. {@link StorageEngine#release} closes the rest once the
   * stages are idle.
   */
  public CompletableFuture<Void> stop() {
    CompletableFuture<Void> silent = new CompletableFuture<>();
    Runnable leave =
        () -> {
          startup.announceShutdown();
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

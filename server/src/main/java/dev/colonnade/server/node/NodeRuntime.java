package dev.colonnade.server.node;

import dev.colonnade.server.base.config.AddressSettings;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.config.RequestSettings;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Watched;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.gossip.Gossiper;
import dev.colonnade.server.cluster.gossip.HostIdCheck;
import dev.colonnade.server.cluster.hints.HintReceiver;
import dev.colonnade.server.cluster.membership.Membership;
import dev.colonnade.server.cluster.membership.MembershipException;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.MessengerSettings;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.cluster.repair.RepairSettings;
import dev.colonnade.server.cluster.repair.RepairTasks;
import dev.colonnade.server.cluster.repair.Repairs;
import dev.colonnade.server.cluster.streaming.Streams;
import dev.colonnade.server.node.platform.ProcessLogLevels;
import dev.colonnade.server.service.accounts.AccountReplication;
import dev.colonnade.server.service.accounts.Accounts;
import dev.colonnade.server.service.admin.ClusterOperations;
import dev.colonnade.server.service.admin.LiveOperations;
import dev.colonnade.server.service.admin.LiveSettings;
import dev.colonnade.server.service.admin.LocalOperations;
import dev.colonnade.server.service.admin.NodeOperations;
import dev.colonnade.server.service.backup.ClusterSnapshots;
import dev.colonnade.server.service.bulkload.BulkLoads;
import dev.colonnade.server.service.consistency.ClusterView;
import dev.colonnade.server.service.consistency.PeerClient;
import dev.colonnade.server.service.consistency.SchemaStore;
import dev.colonnade.server.service.consistency.TimestampSource;
import dev.colonnade.server.service.coordinator.Coordinator;
import dev.colonnade.server.service.replica.ReplicaService;
import dev.colonnade.server.service.rpc.RpcServer;
import dev.colonnade.server.service.schemasync.ClusterSchema;
import dev.colonnade.server.service.schemasync.LocalSchema;
import dev.colonnade.server.service.schemasync.Truncation;
import dev.colonnade.server.service.status.ClusterStatus;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.manifest.NodeIdentity;
import dev.colonnade.server.storage.mutation.Mutation;
import io.prometheus.metrics.model.registry.Collector;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A node without its network ports: everything between the environment and the services, wired
 * together. The real node runs it over the machine's files, clock and threads and puts gRPC on top;
 * the simulation runs it in a virtual world.
 *
 * <ul>
 *   <li>Only {@link NodeOpening} does file work on the caller's thread; nothing here blocks.
 *   <li>A node is built in one step, when its store is open: what it saved of itself and of the
 *       ring is known then. {@link #start} only joins the cluster.
 *   <li>{@link #stop} announces the shutdown first and closes the store last.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class NodeRuntime {

  private final NodeParts parts;
  private final NodeStorage storage;
  private final ClusterSchema schema;
  private final AccountReplication accountReplication;
  private final HintedHandoff hints;
  private final Streams streams;
  private final Repairs repairs;
  private final BulkLoads bulkLoads;
  private final ClusterSnapshots snapshots;
  private final ClusterStatus status;
  private final LocalOperations operations;
  private final Messenger messenger;
  private final LiveCluster cluster;
  private final LiveOperations clusterOperations;
  private final Coordinator coordinator;
  private final HostIdCheck hostIdCheck;
  private final Membership membership;
  private final FatalStop ending;
  private final LiveSettings liveSettings;
  private final NodeStartup startup;

  /** Builds a node on its open store; {@link NodeOpening} does. */
  NodeRuntime(NodeParts parts, NodeStorage storage) throws IOException {
    Environment environment = parts.machine().environment();
    Clock clock = environment.clock();
    Scheduler scheduler = environment.scheduler();
    NodeParts.Settings settings = parts.settings();
    NodeIdentity identity = storage.identity();
    StorageEngine engine = storage.engine();
    LocalSchema localSchema = storage.localSchema();
    this.parts = parts;
    this.storage = storage;
    this.messenger =
        new Messenger(
            new Peer(
                identity.id(),
                new PeerAddress(
                    settings.node().get(AddressSettings.PEER_ADDRESS),
                    settings.node().get(AddressSettings.PEER_PORT))),
            parts.machine().transport(),
            clock,
            scheduler,
            MessengerSettings.DEFAULT,
            parts.machine().memory().heap());
    this.operations =
        new LocalOperations(
            engine, localSchema, scheduler, clock, parts.machine().figures(), messenger::figures);
    this.ending = new FatalStop(this::announceShutdownSoon);
    long generation = Gossiper.nextGeneration(storage.systemLocal().saved().generation(), clock);
    this.cluster =
        new LiveCluster(
            parts,
            identity,
            messenger,
            storage.ringState(),
            storage.systemPeers(),
            generation,
            localSchema.current().version());
    this.hostIdCheck =
        new HostIdCheck(messenger, cluster::members, clock, generation, this::mustStop);
    Truncation truncation =
        new Truncation(
            localSchema, cluster, messenger::request, clock, scheduler, settings.coordination());
    this.schema =
        new ClusterSchema(
            localSchema,
            cluster,
            messenger::request,
            clock,
            scheduler,
            truncation,
            cluster::announceSchema);
    this.accountReplication =
        new AccountReplication(
            storage.accounts(),
            cluster,
            messenger::request,
            clock,
            scheduler,
            environment.random().fork("accounts"));
    accountReplication.register(messenger);
    HintReceiver receiver = new HintReceiver(new EngineHintReplica(engine, localSchema::current));
    messenger.handle(Verb.HINT, receiver.unless(this::whyNotServing));
    this.hints =
        HintedHandoff.of(
            parts,
            new ClusterHintContext(cluster, localSchema::current, this::handOver),
            messenger,
            receiver);
    this.coordinator =
        new Coordinator(
            engine,
            schema,
            cluster,
            clock,
            scheduler,
            PeerClient.over(messenger),
            hints,
            settings.coordination(),
            environment.random().fork("coordinator").nextLong());
    this.clusterOperations =
        new LiveOperations(
            engine,
            schema,
            cluster,
            operations,
            scheduler,
            new ClusterFigures(
                cluster, hints, scheduler, () -> liveSettings().get(ClusterSettings.PHI_THRESHOLD)),
            parts.health());
    new ReplicaService(engine, schema, clock, this::whyNotServing).register(messenger);
    truncation.register(messenger);
    schema.register(messenger);
    this.streams = new Streams(environment, settings.streams(), engine, messenger);
    this.repairs =
        new Repairs(
            engine,
            streams,
            messenger,
            clock,
            scheduler,
            RepairSettings.DEFAULT,
            cluster::topology,
            schema::current);
    this.bulkLoads =
        new BulkLoads(
            engine,
            schema::current,
            cluster,
            clock,
            scheduler,
            BulkLoads.Settings.of(settings.node()),
            new RepairTasks(repairs, storage.repairs(), cluster::hasLeft, clock, scheduler));
    this.snapshots =
        new ClusterSnapshots(
            engine.snapshots(),
            schema::current,
            () -> SystemAccounts.snapshot(storage.accounts()),
            cluster,
            messenger::request,
            clock);
    snapshots.register(messenger);
    this.status = new ClusterStatus(cluster::topology, messenger::request, clock, scheduler);
    status.register(messenger);
    this.membership =
        new Membership(
            cluster.gossiper(),
            cluster.liveTopology(),
            streams,
            messenger,
            parts.partitioner(),
            schema::current,
            clock,
            scheduler,
            settings.membership(),
            new SystemMembershipStore(storage.systemLocal(), hints, environment, parts.health()));
    this.liveSettings = new LiveSettings(settings.start(), environment.files(), scheduler);
    this.startup = new NodeStartup(this, generation);
    SettingFollowers.follow(this);
    liveSettings.follow(ClusterSettings.PHI_THRESHOLD, cluster.gossiper()::phiThreshold);
    liveSettings.follow(ClusterSettings.CLOCK_OFFSET_LIMIT, cluster.clockWatch()::limit);
    liveSettings.follow(RequestSettings.RPC_TIMEOUT, truncation::timeout);
    listen(identity.id(), scheduler);
  }

  /** Lets the parts that follow the cluster hear of it. The order is that of their calls. */
  private void listen(String selfId, Scheduler scheduler) {
    cluster.listen(
        new IdentityWatch(
            selfId,
            cluster.gossiper(),
            hostIdCheck,
            storage.systemLocal(),
            scheduler,
            ending::end));
    cluster.listen(new MemberLog());
    cluster.listen(hints);
    cluster.listen(storage.systemPeers());
    cluster.listen(new DeadPeerListener(messenger));
    cluster.listen(new StreamFailureListener(streams));
    cluster.listen(new SchemaVersionListener(schema));
    cluster.liveTopology().listen(storage.systemPeers()::save);
    cluster.liveTopology().listen(storage::shareTimestamps);
    storage.shareTimestamps(cluster.liveTopology().current());
  }

  private CompletableFuture<Void> handOver(Mutation mutation) {
    return coordinator.handOver(mutation);
  }

  /** Ends the node's part in the cluster, for a reason that a restart does not remove. */
  void mustStop(String why) {
    ending.end(why);
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
  public CompletableFuture<MembershipException> ended() {
    return ending.reason();
  }

  /** This node's id and address, as others know them. */
  public Peer self() {
    return messenger.self();
  }

  /** This node's membership in the ring. */
  public Membership membership() {
    return membership;
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
    Optional<String> refusal = membership.unsettled();
    return refusal.isPresent()
        ? CompletableFuture.failedFuture(new MembershipException(refusal.get()))
        : operations.cleanUp(families, membership::residents, progress);
  }

  /** The streams of this node. */
  Streams streams() {
    return streams;
  }

  /** Anti-entropy repair. */
  public Repairs repairs() {
    return repairs;
  }

  /** The figures of other nodes, and of this one for them. */
  ClusterStatus status() {
    return status;
  }

  /** Loads of sorted rows by clients. */
  public BulkLoads bulkLoads() {
    return bulkLoads;
  }

  /** The source of timestamps for columns that clients write without one. */
  public TimestampSource timestamps() {
    return storage.timestamps();
  }

  /** The settings, and their changes. */
  public LiveSettings liveSettings() {
    return liveSettings;
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
        bulkLoads,
        snapshots,
        storage.timestamps(),
        parts.machine().environment().clock(),
        parts.machine().environment().scheduler(),
        parts.machine().memory(),
        parts.plugIns(),
        ProcessLogLevels.find(),
        liveSettings);
  }

  /** The accounts of the cluster, as this node knows them. */
  public Accounts accounts() {
    return storage.accounts();
  }

  /** Exchanges accounts with other nodes. */
  public AccountReplication accountReplication() {
    return accountReplication;
  }

  /** The schema and its changes. */
  public SchemaStore schema() {
    return schema;
  }

  /** Whether a node of that id is known by gossip. From any thread. */
  boolean knows(String nodeId) {
    return cluster.knows(nodeId);
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

  /** The durations of requests to other nodes, to be registered. */
  Collector messageDurations() {
    return messenger.durations();
  }

  /** This node's problems, and what they mean for its service. */
  public Health health() {
    return parts.health();
  }

  /** What the watchdog checks besides the stages: every part with work of its own. */
  public List<Watched> watched() {
    return List.of(storage.engine(), streams);
  }

  /** The storage engine. */
  public StorageEngine engine() {
    return storage.engine();
  }

  /**
   * Announces the shutdown, then stops streams and bulk loads, hints and the store, in this order.
   * Completes when nothing acknowledged is in memory only. {@link StorageEngine#release} closes the
   * rest once the stages are idle.
   */
  public CompletableFuture<Void> stop() {
    return announceShutdownSoon()
        .handle((left, failure) -> failure)
        .thenCompose(left -> CompletableFuture.allOf(streams.stop(), bulkLoads.stop()))
        .thenCompose(ended -> hints.stop())
        .thenCompose(stopped -> storage.engine().stop());
  }

  private CompletableFuture<Void> announceShutdownSoon() {
    return startup.onControl(startup::announceShutdown);
  }

  // What the start works with.

  NodeParts parts() {
    return parts;
  }

  NodeStorage storage() {
    return storage;
  }

  ClusterSchema clusterSchema() {
    return schema;
  }

  LiveCluster liveCluster() {
    return cluster;
  }

  Messenger messenger() {
    return messenger;
  }

  HintedHandoff hints() {
    return hints;
  }

  HostIdCheck hostIdCheck() {
    return hostIdCheck;
  }

  FatalStop ending() {
    return ending;
  }
}

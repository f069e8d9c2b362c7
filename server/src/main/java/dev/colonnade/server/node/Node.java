package dev.colonnade.server.node;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.config.AccessSettings;
import dev.colonnade.server.base.config.AddressSettings;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.config.ConnectionSettings;
import dev.colonnade.server.base.config.DirectorySettings;
import dev.colonnade.server.base.config.HealthSettings;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.ReplicationSettings;
import dev.colonnade.server.base.config.RequestSettings;
import dev.colonnade.server.base.config.Setting;
import dev.colonnade.server.base.config.StartSettings;
import dev.colonnade.server.base.config.TelemetrySettings;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.PlugInException;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Impact;
import dev.colonnade.server.base.health.Watchdog;
import dev.colonnade.server.base.memory.MemoryPlan;
import dev.colonnade.server.base.memory.NodeMemory;
import dev.colonnade.server.cluster.membership.MembershipSettings;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.cluster.streaming.StreamSettings;
import dev.colonnade.server.node.platform.ClientPort;
import dev.colonnade.server.node.platform.DirectMemory;
import dev.colonnade.server.node.platform.GrpcTransport;
import dev.colonnade.server.node.platform.GrpcTransportSettings;
import dev.colonnade.server.node.platform.HostNames;
import dev.colonnade.server.node.platform.OpsHttpServer;
import dev.colonnade.server.node.platform.PageAccess;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.node.platform.StageScheduler;
import dev.colonnade.server.node.platform.StageSizes;
import dev.colonnade.server.node.platform.SystemClock;
import dev.colonnade.server.node.platform.WatchThread;
import dev.colonnade.server.node.telemetry.TraceExport;
import dev.colonnade.server.node.tls.NodeTls;
import dev.colonnade.server.service.consistency.CoordinatorSettings;
import dev.colonnade.server.service.rpc.ClientAccess;
import dev.colonnade.server.service.rpc.RpcServer;
import dev.colonnade.server.service.rpc.RpcSettings;
import dev.colonnade.server.storage.manifest.NodeIdentity;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A running node. Thread-safe.
 *
 * <p>It starts in this order: settings, directories, store (lock, manifest, files, log), token,
 * schema of the configuration file, HTTP, gRPC; only then is it ready. It stops in reverse order:
 * no more calls, no more writes, log durable, files closed.
 */
public final class Node implements AutoCloseable {

  private static final Duration METRICS_PERIOD = Duration.ofSeconds(2);
  private static final Duration HEALTH_PERIOD = Duration.ofSeconds(1);

  private final NodeSettings settings;
  private final NodeRuntime core;
  private final OpsHttpServer http;
  private final RpcServer rpc;
  private final NodeTls tls;
  private final Optional<String> firstPassword;
  private final NodeStop stop;
  private final AtomicBoolean closed = new AtomicBoolean();

  private Node(
      EffectiveSettings effective,
      NodeRuntime core,
      OpsHttpServer http,
      RpcServer rpc,
      NodeTls tls,
      Optional<String> firstPassword,
      NodeStop stop) {
    this.settings = effective.settings();
    this.core = core;
    this.http = http;
    this.rpc = rpc;
    this.tls = tls;
    this.firstPassword = firstPassword;
    this.stop = stop;
  }

  /**
   * Starts a node; it serves when this returns. Blocks.
   *
   * @throws NodeStartException if it cannot start; nothing is left running then
   */
  public static Node start(NodeOptions options) throws NodeStartException {
    return start(options, new SystemClock());
  }

  /**
   * Starts a node with another clock, one that tests can advance.
   *
   * @throws NodeStartException as {@link #start(NodeOptions)}
   */
  public static Node start(NodeOptions options, Clock clock) throws NodeStartException {
    return start(options, clock, NodeSeams.NONE);
  }

  /**
   * Starts a node for a test, which puts faults between it and the machine.
   *
   * @throws NodeStartException as {@link #start(NodeOptions)}
   */
  public static Node start(NodeOptions options, NodeSeams seams) throws NodeStartException {
    return start(options, new SystemClock(), seams);
  }

  private static Node start(NodeOptions options, Clock clock, NodeSeams seams)
      throws NodeStartException {
    MemoryPlan plan = MemoryPlan.forHeap(Runtime.getRuntime().maxMemory());
    EffectiveSettings effective = EffectiveSettings.of(options, plan);
    TaskErrors errors = TaskErrors.ofProcess();
    StageScheduler scheduler = new StageScheduler(stages(effective.settings()), errors);
    StartupRollback rollback = new StartupRollback();
    rollback.add(scheduler::abandon);
    rollback.add(() -> effective.plugIns().close());
    try {
      NodeMemory memory = NodeMemory.of(plan);
      return start(options, clock, seams, effective, memory, scheduler, errors, rollback);
    } catch (NodeStartException | RuntimeException | Error e) {
      rollback.run();
      throw e;
    }
  }

  private static Node start(
      NodeOptions options,
      Clock clock,
      NodeSeams seams,
      EffectiveSettings effective,
      NodeMemory memory,
      StageScheduler scheduler,
      TaskErrors errors,
      StartupRollback rollback)
      throws NodeStartException {
    NodeSettings settings = effective.settings();
    NodeTls tls = PortProtection.open(settings, clock);
    Health health = new Health();
    health.raise(Condition.STARTING, Impact.NOT_READY, "the node is starting");
    Watchdog watchdog = new Watchdog(health, clock, settings.get(HealthSettings.STALL_LIMIT));
    watchdog.watch(scheduler);
    WatchThread watching = WatchThread.start(Watchdog.PERIOD, watchdog::look);
    rollback.add(watching::close);
    RandomSource random = SeededRandom.fromSystemEntropy();
    LocalStore.Directories directories = LocalStore.Directories.open(settings);
    NodeIdentity wanted = identity(options, settings, directories.owner(), effective, random, tls);
    Partitioner partitioner = partitioner(wanted.partitioner(), effective);
    Environment environment =
        seams.around(
            LocalStore.environment(directories, clock, scheduler, random.fork("environment")));
    GrpcTransport transport = bindPeers(settings, memory, tls);
    rollback.add(transport::close);
    NodeRuntime core =
        LocalStore.open(
            new NodeParts(
                new NodeParts.Machine(
                    environment, seams.transport().apply(transport), memory, new JvmMemory()),
                runtimeSettings(effective.start(), memory.plan(), transport.port()),
                wanted,
                partitioner,
                effective.types(),
                effective.plugIns(),
                Snitches.locations(settings),
                options.replacedNode(),
                health,
                version()),
            settings);
    core.watched().forEach(watchdog::watch);
    core.liveSettings().follow(HealthSettings.STALL_LIMIT, watchdog::limit);
    rollback.add(() -> NodeStop.closeStore(core, scheduler));
    watchdog.watch(transport.loops());
    transport.open(core.self(), core.cluster().clusterName());
    transport.recognise(core::knows);
    PrometheusRegistry registry = new PrometheusRegistry();
    // Before the start, which may take hours: a certificate is revoked in the meantime, too.
    PortProtection.watch(tls, settings, environment, health, registry);
    StartupWait.await(errors.orError(core.start(effective.keyspaces())));
    TraceExport traces =
        TraceExport.to(
            settings.get(TelemetrySettings.OTLP_ENDPOINT),
            new TraceExport.Teller(core.self().id(), core.cluster().clusterName(), version()),
            clock,
            scheduler,
            random.fork("spans"));
    if (traces != null) {
      rollback.add(traces::abort);
    }
    NodeMetrics metrics = new NodeMetrics(registry, core, transport, directories, watchdog, traces);
    scheduler.every(METRICS_PERIOD, Stage.CONTROL, metrics::follow);
    scheduler.every(
        HEALTH_PERIOD, Stage.GOSSIP, () -> followRing(health, core.suspectsStaleRing()));
    DirectMemoryWatch direct =
        new DirectMemoryWatch(health, DirectMemory::usedBytes, DirectMemory.limitBytes());
    scheduler.every(HEALTH_PERIOD, Stage.TIMER, direct::look);

    ClientAccess access = ClientAccessParts.of(settings, core, effective.plugIns());
    PageAccess pages =
        new MonitorAccess(access, settings.get(AccessSettings.OPEN_METRICS), hostNames(settings));
    OwnFigures own = new OwnFigures(core, metrics);
    core.status().tells(own::collect);
    StatusJson json = new StatusJson(core, own, directories.byName());
    OpsHttpServer http = startHttp(settings, core, metrics, json, pages, tls);
    rollback.add(http::close);
    ClientPort clients = clientPort(settings, memory.plan(), tls);
    rollback.add(clients::close);
    watchdog.watch(clients.loops());
    Optional<String> firstPassword = ClientAccessParts.firstAdministrator(settings, core, access);
    RpcServer rpc = startRpc(clients, settings, core.backend(), metrics, access);
    metrics.add(clients, rpc);
    if (settings.get(AddressSettings.CLIENT_PORT) == 0) {
      core.liveCluster().servesClientsOn(rpc.port());
    }
    NodeStop stop =
        new NodeStop(
            rpc, clients, http, traces, core, scheduler, transport, effective.plugIns(), watching);
    Node node = new Node(effective, core, http, rpc, tls, firstPassword, stop);
    health.listen(() -> rpc.serving(() -> health.report().impact().isReady()));
    Then.whenDone(
        core.ended(),
        (why, none) ->
            health.raise(Condition.STOPPING, Impact.NOT_READY, String.valueOf(why.getMessage())));
    health.clear(Condition.STARTING);
    return node;
  }

  private static NodeParts.Settings runtimeSettings(
      StartSettings start, MemoryPlan plan, int peerPort) {
    NodeSettings settings = start.effective();
    return new NodeParts.Settings(
        LocalStore.engineSettings(settings, plan),
        settings.with(AddressSettings.PEER_PORT, peerPort),
        start,
        MembershipSettings.DEFAULT.withRingDelay(settings.get(ClusterSettings.RING_DELAY)),
        StreamSettings.DEFAULT.withBytesPerSecond(
            settings.get(ReplicationSettings.STREAM_BYTES_PER_SECOND)),
        coordination(settings));
  }

  private static StageSizes stages(NodeSettings settings) {
    StageSizes sizes = StageSizes.forProcessors(Runtime.getRuntime().availableProcessors());
    int wanted = settings.get(RequestSettings.READ_THREADS);
    int threads = wanted == 0 ? sizes.of(Stage.READ).threads() : wanted;
    return sizes.with(
        Stage.READ, new StageSizes.Size(threads, settings.get(RequestSettings.QUEUED_READS)));
  }

  private static CoordinatorSettings coordination(NodeSettings settings) {
    CoordinatorSettings result =
        CoordinatorSettings.DEFAULT.withTimeout(settings.get(RequestSettings.RPC_TIMEOUT));
    return settings.get(ReplicationSettings.READ_REPAIR) ? result : result.withoutReadRepair();
  }

  /** Unless set, the partitioner and the cluster name are those of the node's data. */
  private static NodeIdentity identity(
      NodeOptions options,
      NodeSettings settings,
      Optional<NodeIdentity> owner,
      EffectiveSettings effective,
      RandomSource random,
      NodeTls tls)
      throws NodeStartException {
    boolean said = options.storageConf().isPresent();
    boolean named = said || options.overriding().find(ClusterSettings.NAME).isPresent();
    String name = settings.get(ClusterSettings.NAME);
    String partitioner = partitioner(settings.get(ClusterSettings.PARTITIONER), effective).name();
    if (owner.isPresent() && !said) {
      if (options.overriding().find(ClusterSettings.NAME).isEmpty()) {
        name = owner.get().clusterName();
      }
      if (options.overriding().find(ClusterSettings.PARTITIONER).isEmpty()) {
        partitioner = owner.get().partitioner();
      }
    }
    RandomSource ids = random.fork("node id");
    return PortProtection.identity(
        new NodeIdentity(ids.nextLong(), ids.nextLong(), name, partitioner),
        owner,
        named || owner.isPresent(),
        tls);
  }

  private static Partitioner partitioner(String name, EffectiveSettings effective)
      throws NodeStartException {
    try {
      return Partitioners.resolve(name, effective.plugIns());
    } catch (PlugInException e) {
      throw new NodeStartException(String.valueOf(e.getMessage()), e);
    }
  }

  private static String version() {
    String version = Node.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  private static InetSocketAddress address(
      NodeSettings settings, Setting<String> host, Setting<Integer> port) {
    return new InetSocketAddress(settings.get(host), settings.get(port));
  }

  private static GrpcTransport bindPeers(NodeSettings settings, NodeMemory memory, NodeTls tls)
      throws NodeStartException {
    InetSocketAddress address =
        address(settings, AddressSettings.PEER_ADDRESS, AddressSettings.PEER_PORT);
    try {
      GrpcTransport transport =
          GrpcTransport.bind(
              address,
              GrpcTransportSettings.forProcessors(Runtime.getRuntime().availableProcessors()),
              memory,
              tls.peers());
      PortProtection.closedToNodes(settings, tls).ifPresent(transport::isolate);
      return transport;
    } catch (IOException e) {
      throw new NodeStartException(PortTaken.message("other nodes", "--peer-port", address, e), e);
    }
  }

  private static OpsHttpServer startHttp(
      NodeSettings settings,
      NodeRuntime core,
      NodeMetrics metrics,
      StatusJson json,
      PageAccess pages,
      NodeTls tls)
      throws NodeStartException {
    InetSocketAddress address =
        address(settings, AddressSettings.CLIENT_ADDRESS, AddressSettings.HTTP_PORT);
    try {
      return OpsHttpServer.start(
          address,
          core.engine()::failure,
          () -> readiness(core.health().report()),
          metrics.registry(),
          StatusPages.of(json),
          pages,
          tls.clients());
    } catch (IOException e) {
      throw new NodeStartException(PortTaken.message("HTTP", "--http-port", address, e), e);
    }
  }

  /** The names that a node has by its machine and its settings. */
  private static HostNames hostNames(NodeSettings settings) {
    List<String> names = new ArrayList<>(HostNames.ofMachine());
    names.add(settings.get(AddressSettings.CLIENT_ADDRESS));
    names.add(settings.get(AddressSettings.PEER_ADDRESS));
    names.addAll(settings.get(AddressSettings.HTTP_HOST_NAMES));
    return HostNames.of(names);
  }

  static OpsHttpServer.Readiness readiness(Health.Report report) {
    return new OpsHttpServer.Readiness(report.impact().isReady(), report.reasons(Impact.NOTICE));
  }

  /**
   * Lets health follow whether the node may coordinate. It is polled, because nothing announces
   * that.
   */
  static void followRing(Health health, boolean suspectsStaleRing) {
    if (suspectsStaleRing) {
      health.raise(
          Condition.BEHIND,
          Impact.NOT_READY,
          "the node was paused and is refreshing its view of the ring");
    } else {
      health.clear(Condition.BEHIND);
    }
  }

  private static ClientPort clientPort(NodeSettings settings, MemoryPlan plan, NodeTls tls) {
    return ClientPort.at(
        address(settings, AddressSettings.CLIENT_ADDRESS, AddressSettings.CLIENT_PORT),
        ConnectionSettings.maxClients(settings, plan.heapBytes()),
        plan.windowBytes(),
        Runtime.getRuntime().availableProcessors(),
        tls.clients());
  }

  private static RpcServer startRpc(
      ClientPort clients,
      NodeSettings settings,
      RpcServer.Backend backend,
      NodeMetrics metrics,
      ClientAccess access)
      throws NodeStartException {
    try {
      return RpcServer.start(
          clients.builder(),
          clients::currentLoop,
          backend,
          RpcSettings.of(settings),
          metrics.calls(),
          access);
    } catch (IOException e) {
      InetSocketAddress address =
          address(settings, AddressSettings.CLIENT_ADDRESS, AddressSettings.CLIENT_PORT);
      throw new NodeStartException(PortTaken.message("clients", "--client-port", address, e), e);
    }
  }

  /**
   * Completes with the reason if the node cannot continue, for instance because another node has
   * its place in the ring, and must be closed. Never fails.
   */
  public CompletableFuture<String> ended() {
    return core.ended().thenApply(why -> String.valueOf(why.getMessage()));
  }

  /** The node's host id, and its address for other nodes. */
  public Peer self() {
    return core.self();
  }

  /** The password of the user admin, if this start made up one; to be shown once. */
  public Optional<String> firstPassword() {
    return firstPassword;
  }

  /** The port for clients. */
  public int clientPort() {
    return rpc.port();
  }

  /** The port for metrics and health. */
  public int httpPort() {
    return http.address().getPort();
  }

  /** The address that clients and HTTP use. */
  public String clientAddress() {
    return settings.get(AddressSettings.CLIENT_ADDRESS);
  }

  /** One line for operators: addresses, data, cluster, partitioner. */
  public String describe() {
    return "serving clients on "
        + clientAddress()
        + ":"
        + clientPort()
        + ", other nodes on "
        + core.self().address()
        + ", metrics and health on "
        + (tls.clients().isEmpty() ? "http://" : "https://")
        + clientAddress()
        + ":"
        + httpPort()
        + ", data in "
        + settings.get(DirectorySettings.DATA)
        + ", cluster '"
        + core.cluster().clusterName()
        + "', "
        + core.cluster().partitioner().name();
  }

  /**
   * Stops the node: open calls may complete, the log is made durable, files are closed. Blocks.
   * Idempotent.
   */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      stop.inOrder();
    }
  }

  /**
   * Ends the node as the death of its process would, for tests: calls break off, and nothing is
   * made durable. What it had of ports, files and locks is free when this returns, so that it can
   * be started again on the same ones. Blocks. Nothing if the node is closed.
   *
   * <p>Whoever wants nothing more of it to reach a file or another node shuts those first, at the
   * {@link NodeSeams} that it was started with.
   */
  public void kill() {
    if (closed.compareAndSet(false, true)) {
      stop.atOnce();
    }
  }
}

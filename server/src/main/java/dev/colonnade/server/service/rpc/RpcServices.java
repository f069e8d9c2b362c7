package dev.colonnade.server.service.rpc;

import dev.colonnade.admin.v1.AccountServiceGrpc;
import dev.colonnade.admin.v1.BulkLoadServiceGrpc;
import dev.colonnade.admin.v1.ClusterServiceGrpc;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.search.v1.SearchServiceGrpc;
import dev.colonnade.server.base.config.RequestSettings;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.service.admin.ClusterOperations;
import dev.colonnade.server.service.search.Analyzers;
import dev.colonnade.server.service.search.SearchSettings;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import io.grpc.BindableService;
import io.grpc.ServerBuilder;
import io.grpc.ServerServiceDefinition;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** All services with what they share, ready to be added to a server of any transport. */
final class RpcServices {

  private static final List<String> NAMES =
      List.of(
          HealthStatusManager.SERVICE_NAME_ALL_SERVICES,
          ColumnStoreServiceGrpc.SERVICE_NAME,
          SchemaServiceGrpc.SERVICE_NAME,
          SearchServiceGrpc.SERVICE_NAME,
          ClusterServiceGrpc.SERVICE_NAME,
          NodeServiceGrpc.SERVICE_NAME,
          BulkLoadServiceGrpc.SERVICE_NAME,
          AccountServiceGrpc.SERVICE_NAME);

  /** How often to check for clients that do not read their answers. */
  private static final Duration LOOK_AT_READERS = Duration.ofSeconds(1);

  /** How often to check for sessions without calls. */
  private static final Duration LOOK_AT_SESSIONS = Duration.ofSeconds(10);

  private final HealthStatusManager health = new HealthStatusManager();
  private final ColumnStoreService columnStore;
  private final SchemaCalls schema;
  private final SearchCalls search;
  private final ClusterCalls cluster;
  private final NodeCalls node;
  private final BulkLoadCalls bulkLoads;
  private final AccountCalls accounts;
  private final AccessGate gate;
  private final ClientMemory memory;
  private final RequestIntake intake;
  private final boolean reflection;
  private final GuardInterceptor guard;
  private final MeteringInterceptor metering;

  RpcServices(
      RpcServer.Backend backend, RpcSettings settings, CallMetrics metrics, ClientAccess access) {
    reflection = settings.reflection();
    String nodeId = backend.cluster().nodeId();
    StatusErrors errors = new StatusErrors(nodeId);
    RequestRules rules =
        new RequestRules(backend.schemas()::current, backend.cluster().partitioner(), settings);
    Predicates predicates = new Predicates(rules);
    LargeTurns large = new LargeTurns(backend.scheduler());
    RpcContext rpc =
        new RpcContext(
            backend.rows(),
            backend.toucher(),
            rules,
            predicates,
            new Mutations(rules, predicates),
            new KeyRanges(rules),
            errors,
            backend.timestamps(),
            backend.clock(),
            backend.scheduler(),
            large,
            nodeId,
            settings);
    RingProtos ringText = new RingProtos(backend.cluster(), backend.clusterOperations());
    guard = new GuardInterceptor(errors, settings.connections().maxOpenCalls());
    metering = new MeteringInterceptor(metrics, backend.clock(), settings);
    backend.settings().follow(RequestSettings.SLOW_REQUEST_THRESHOLD, metering::slowFrom);
    backend.settings().follow(RequestSettings.RPC_TIMEOUT, settings.timeout()::set);
    gate = new AccessGate(access, errors);
    columnStore = new ColumnStoreService(rpc, guard, metering, gate.checks());
    Analyzers analyzers = new Analyzers(backend.plugIns(), backend.scheduler());
    schema =
        new SchemaCalls(
            backend.schemas(),
            backend.clusterOperations(),
            analyzers,
            rpc,
            gate::mayKnowOfKeyspace,
            new EnoughNodes(backend.cluster()::topology));
    accounts = new AccountCalls(access, rpc);
    search = new SearchCalls(backend.schemas(), analyzers, SearchSettings.DEFAULT, rpc);
    cluster = new ClusterCalls(backend.cluster(), backend.clusterOperations(), ringText, rpc);
    node =
        new NodeCalls(
            backend.operations(),
            backend.clusterOperations(),
            () -> drainNode(backend.clusterOperations()),
            backend.ringChanges(),
            backend.cluster(),
            ringText,
            backend.schemas()::current,
            new SnapshotCalls(backend.snapshots(), backend.schemas()::current, rpc),
            new LogCalls(backend.logLevels()),
            new SettingCalls(backend.settings()),
            rpc);
    bulkLoads = new BulkLoadCalls(backend.bulkLoads(), backend.schemas()::current, rpc);
    memory =
        new ClientMemory(
            backend.memory(),
            settings.connections().maxMessageBytes(),
            backend.clock()::monotonicNanos,
            settings.connections().readerTimeout());
    intake =
        new RequestIntake(
            new RequestIntake.Tools(
                backend.scheduler(),
                large,
                memory,
                errors,
                settings.pages().inlineBytes(),
                settings.connections().maxMessageBytes(),
                settings::callTimeout));
    backend.scheduler().every(LOOK_AT_READERS, Stage.TIMER, memory::endUnread);
    backend
        .scheduler()
        .every(LOOK_AT_SESSIONS, Stage.TIMER, () -> columnStore.sessions().endIdle());
    serving(() -> false);
  }

  /** Adds services and interceptors; the last one added sees a call first. */
  @SuppressWarnings(
      "deprecation") // Reflection v1alpha is deprecated, and still what many tools speak.
  void addTo(ServerBuilder<?> builder) {
    memory.addTo(builder);
    own().forEach(service -> builder.addService(guarded(service)));
    gate.addTo(builder);
    if (reflection) {
      builder
          .addService(guarded(ProtoReflectionServiceV1.newInstance()))
          .addService(guarded(io.grpc.protobuf.services.ProtoReflectionService.newInstance()));
    }
    builder
        .addService(guarded(health.getHealthService()))
        .decompressorRegistry(LateGzip.REGISTRY)
        .intercept(guard)
        .intercept(metering);
  }

  private ServerServiceDefinition guarded(BindableService service) {
    return intake.guard(gate.guard(service));
  }

  /** Calls in progress. */
  int openCalls() {
    return guard.openCalls();
  }

  /** Calls that were refused because too many were in progress. */
  long refusedCalls() {
    return guard.refusedCalls();
  }

  /** The services of the contract. */
  List<BindableService> own() {
    return List.of(columnStore, schema, search, cluster, node, bulkLoads, accounts);
  }

  /** Runs one at a time, so that an older result cannot overtake a newer one. */
  synchronized void serving(BooleanSupplier serves) {
    boolean serving = serves.getAsBoolean();
    for (String name : NAMES) {
      health.setStatus(name, serving ? ServingStatus.SERVING : ServingStatus.NOT_SERVING);
    }
  }

  private CompletableFuture<Void> drainNode(ClusterOperations operations) {
    serving(() -> false);
    CompletableFuture<Void> callsEnded = guard.keepOut();
    columnStore.sessions().goAway();
    return operations.drain(callsEnded);
  }

  /** Whether no calls are open except those that never end, and sessions have gone away. */
  boolean isIdle() {
    return guard.isIdle() && columnStore.sessions().haveLeft();
  }

  /** Sets NOT_SERVING for good, and ends calls and sessions that would never end. */
  void stop() {
    health.enterTerminalState();
    columnStore.sessions().goAway();
    cluster.stop();
  }
}

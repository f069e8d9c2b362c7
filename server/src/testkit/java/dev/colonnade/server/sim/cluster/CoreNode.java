package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.config.AccessSettings;
import dev.colonnade.server.base.config.AccessSettings.Authentication;
import dev.colonnade.server.base.config.AddressSettings;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.config.HealthSettings;
import dev.colonnade.server.base.config.HealthSettings.DiskFailurePolicy;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.StartSettings;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.PlugIns;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Watchdog;
import dev.colonnade.server.base.memory.MemoryPlan;
import dev.colonnade.server.base.memory.NodeMemory;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.cluster.gossip.EndpointSnitch;
import dev.colonnade.server.cluster.membership.MembershipException;
import dev.colonnade.server.cluster.membership.MembershipSettings;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.cluster.streaming.StreamSettings;
import dev.colonnade.server.node.NodeOpening;
import dev.colonnade.server.node.NodeParts;
import dev.colonnade.server.node.NodeRuntime;
import dev.colonnade.server.service.accounts.AuditLog;
import dev.colonnade.server.service.accounts.Authenticator;
import dev.colonnade.server.service.admin.LocalOperations;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.consistency.CoordinatorSettings;
import dev.colonnade.server.service.rpc.CallMetrics;
import dev.colonnade.server.service.rpc.ClientAccess;
import dev.colonnade.server.service.rpc.RpcServer;
import dev.colonnade.server.service.rpc.RpcSettings;
import dev.colonnade.server.sim.SimNode;
import dev.colonnade.server.storage.engine.EngineSettings;
import dev.colonnade.server.storage.manifest.NodeIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A real node in a world, with its services for clients; only HTTP is missing. */
public final class CoreNode implements SimNode {

  /** Bytes of heap that a machine of the world says are in use. */
  static final long HEAP_BYTES = 11;

  /** Bytes beside the heap that it says are in use. */
  static final long OFFHEAP_BYTES = 13;

  /** What memory accounts are made for. */
  private static final long MACHINE_HEAP_BYTES = 256 << 20;

  private static final LocalOperations.Memory MEMORY =
      new LocalOperations.Memory() {
        @Override
        public long heapUsedBytes() {
          return HEAP_BYTES;
        }

        @Override
        public long offheapUsedBytes() {
          return OFFHEAP_BYTES;
        }
      };

  /**
   * How the nodes of a cluster are set up.
   *
   * @param engine the same on all
   * @param settings the same on all, but for the initial token and the disk failure policy
   * @param tokens initial ones by the name of the machine; who has one does not bootstrap, others
   *     do as {@code settings} say
   * @param replaced ids of dead nodes by the names of machines whose nodes take their place
   * @param coordination how replicas are asked and mended
   * @param membership how patient changes of the ring are
   * @param partitioner the same on all
   * @param seeds what the operator says at each start; if there are none, what {@code settings} say
   * @param disks what is done when a disk fails, asked at each start
   */
  public record Plan(
      EngineSettings engine,
      NodeSettings settings,
      Map<String, String> tokens,
      Map<String, String> replaced,
      CoordinatorSettings coordination,
      MembershipSettings membership,
      Partitioner partitioner,
      Supplier<List<String>> seeds,
      Supplier<DiskFailurePolicy> disks) {

    /** With the disk failure policy that is the default. */
    public Plan(
        EngineSettings engine,
        NodeSettings settings,
        Map<String, String> tokens,
        Map<String, String> replaced,
        CoordinatorSettings coordination,
        MembershipSettings membership,
        Partitioner partitioner,
        Supplier<List<String>> seeds) {
      this(
          engine,
          settings,
          tokens,
          replaced,
          coordination,
          membership,
          partitioner,
          seeds,
          HealthSettings.DISK_FAILURES::defaultValue);
    }

    /** With the same seeds at all times. */
    public Plan(
        EngineSettings engine,
        NodeSettings settings,
        Map<String, String> tokens,
        Map<String, String> replaced,
        CoordinatorSettings coordination,
        MembershipSettings membership) {
      this(
          engine,
          settings,
          tokens,
          replaced,
          coordination,
          membership,
          Partitioners.RANDOM,
          List::of);
    }

    /** With changes of the ring as patient as by default. */
    public Plan(
        EngineSettings engine,
        NodeSettings settings,
        Map<String, String> tokens,
        Map<String, String> replaced,
        CoordinatorSettings coordination) {
      this(engine, settings, tokens, replaced, coordination, MembershipSettings.DEFAULT);
    }

    /** With defaults, and no node that replaces another one. */
    public Plan(EngineSettings engine, NodeSettings settings, Map<String, String> tokens) {
      this(engine, settings, tokens, Map.of());
    }

    /** With defaults. */
    public Plan(
        EngineSettings engine,
        NodeSettings settings,
        Map<String, String> tokens,
        Map<String, String> replaced) {
      this(engine, settings, tokens, replaced, CoordinatorSettings.DEFAULT);
    }

    private NodeSettings settingsFor(String name) {
      NodeSettings mine = settings.with(HealthSettings.DISK_FAILURES, disks.get());
      List<String> current = seeds.get();
      if (!current.isEmpty()) {
        mine = mine.with(ClusterSettings.SEEDS, current);
      }
      String token = tokens.get(name);
      return token == null
          ? mine
          : mine.with(ClusterSettings.AUTO_BOOTSTRAP, false)
              .with(ClusterSettings.INITIAL_TOKEN, token);
    }
  }

  /** How often to look whether calls have ended. */
  private static final Duration LOOK = Duration.ofMillis(10);

  /** So that a password costs next to nothing. */
  private static final int PASSWORD_ITERATIONS = 1;

  private final NodeRuntime core;
  private final NodeSettings settings;
  private final Seams seams;
  private final ClientAccess access;
  private final CompletableFuture<Void> started;
  private @Nullable RpcServer rpc;

  /** When calls have ended of a node that is to stop. */
  private @Nullable CompletableFuture<Void> callsEnded;

  private CoreNode(NodeRuntime core, NodeSettings settings, Seams seams) {
    this.core = core;
    this.settings = settings;
    this.seams = seams;
    this.access = access();
    this.started =
        core.start(List.of())
            .thenCompose(
                joined ->
                    access.required()
                        ? core.accountReplication().compare()
                        : CompletableFuture.<Void>completedFuture(null))
            .thenRun(this::serve);
  }

  private ClientAccess access() {
    Authentication how = settings.get(AccessSettings.AUTHENTICATION);
    AuditLog audit =
        new AuditLog(settings.get(AccessSettings.AUDIT_ALL_CALLS), clock()::monotonicNanos);
    RandomSource secrets = seams.environment().random().fork("secrets");
    return new ClientAccess(
        core.accounts(),
        new Authenticator(
            core.accounts(),
            new Authenticator.Options(
                how.takesPasswords(),
                how.takesCertificates(),
                PASSWORD_ITERATIONS,
                settings.get(AccessSettings.TOKEN_LIFETIME),
                Optional.empty()),
            clock(),
            seams.environment().scheduler(),
            target -> {
              for (int i = 0; i < target.length; i++) {
                target[i] = (byte) secrets.nextInt(256);
              }
            },
            audit),
        audit,
        how.isRequired());
  }

  private void serve() {
    try {
      RpcServer server =
          RpcServer.start(
              seams.port().builder(),
              seams.port()::loop,
              core.backend(),
              RpcSettings.of(settings).withReflection(false),
              CallMetrics.NONE,
              access);
      server.serving(() -> true);
      rpc = server;
    } catch (IOException e) {
      throw new UncheckedIOException("nothing else listens in this world", e);
    }
  }

  /** Makes such nodes. */
  public static Factory<CoreNode> factory(Plan plan) {
    return factory(plan, node -> {});
  }

  /** Makes such nodes, and tells somebody of each. */
  static Factory<CoreNode> factory(Plan plan, Consumer<CoreNode> observer) {
    return seams -> {
      NodeSettings settings =
          plan.settingsFor(seams.name())
              .with(AddressSettings.PEER_ADDRESS, seams.address().host())
              .with(AddressSettings.PEER_PORT, seams.address().port());
      CoreNode node = new CoreNode(open(plan, settings, seams), settings, seams);
      node.watch(seams.environment().scheduler());
      observer.accept(node);
      return node;
    };
  }

  /** The real node has a thread for this; here the stage that waits for nothing will do. */
  private void watch(Scheduler scheduler) {
    Watchdog watchdog =
        new Watchdog(core.health(), clock(), HealthSettings.STALL_LIMIT.defaultValue());
    watchdog.watch(scheduler);
    core.watched().forEach(watchdog::watch);
    var unused = scheduler.every(Watchdog.PERIOD, Stage.TIMER, watchdog::look);
  }

  private static NodeRuntime open(Plan plan, NodeSettings settings, Seams seams)
      throws IOException {
    var random = seams.environment().random().fork("identity");
    try {
      return NodeOpening.open(
          new NodeParts(
              new NodeParts.Machine(
                  seams.environment(),
                  seams.transport(),
                  NodeMemory.of(MemoryPlan.forHeap(MACHINE_HEAP_BYTES)),
                  MEMORY),
              new NodeParts.Settings(
                  plan.engine(),
                  settings,
                  StartSettings.of(settings),
                  plan.membership(),
                  StreamSettings.DEFAULT,
                  plan.coordination()),
              new NodeIdentity(
                  random.nextLong(),
                  random.nextLong(),
                  plan.settings().get(ClusterSettings.NAME),
                  plan.partitioner().name()),
              plan.partitioner(),
              ComparatorResolver.builtIns(),
              PlugIns.NONE,
              EndpointSnitch.single(),
              Optional.ofNullable(plan.replaced().get(seams.name())),
              new Health(),
              "simulated"));
    } catch (SchemaException e) {
      throw new IllegalStateException("the schema on the disk of " + seams.name() + " is bad", e);
    }
  }

  /** The real thing. */
  public NodeRuntime core() {
    return core;
  }

  Clock clock() {
    return seams.environment().clock();
  }

  /** How clients are let in. */
  ClientAccess clientAccess() {
    return access;
  }

  /** Whether it has taken its place in the cluster. */
  public boolean isStarted() {
    if (started.isCompletedExceptionally()) {
      throw new CoordinationException.NodeNotReady("its start failed: " + started);
    }
    return started.isDone();
  }

  /** Whether it could not take its place, and will not, or cannot go on. */
  boolean hasFailed() {
    return endedBy().isPresent();
  }

  /** Why it could not take its place, or cannot go on; nothing if it could and can. */
  String failedBecause() {
    return endedBy().orElse("");
  }

  /** Why it cannot go on, or could not take its place; empty as long as it can. */
  Optional<String> endedBy() {
    return core.ended().isDone()
        ? Optional.of(String.valueOf(core.ended().join().getMessage()))
        : startFailure().map(String::valueOf);
  }

  /** The refusal that it ended or could not start with; empty if there was none. */
  Optional<MembershipException> refusal() {
    Optional<Throwable> failure =
        core.ended().isDone() ? Optional.of(core.ended().join()) : startFailure();
    return failure
        .map(Errors::unwrap)
        .filter(MembershipException.class::isInstance)
        .map(MembershipException.class::cast);
  }

  private Optional<Throwable> startFailure() {
    return started.isCompletedExceptionally()
        ? Optional.of(started.handle((done, failure) -> failure).join())
        : Optional.empty();
  }

  /** A row's key in clusters with the random partitioner. */
  static RowKey key(String text) {
    return key(Partitioners.RANDOM, text);
  }

  /** A row's key in this node's cluster. */
  RowKey rowKey(String text) {
    return key(core.cluster().partitioner(), text);
  }

  private static RowKey key(Partitioner partitioner, String text) {
    try {
      return partitioner.rowKey(text.getBytes(StandardCharsets.UTF_8));
    } catch (InvalidKeyException e) {
      throw new AssertionError(e);
    }
  }

  /** A family as this node knows it. */
  ColumnFamily family(String keyspace, String name) throws SchemaException {
    return core.schema().current().requireFamily(keyspace, name);
  }

  /** A family as this node knows it; null if it does not, or does not serve. */
  @Nullable ColumnFamily familyIfServing(String keyspace, String name) {
    try {
      return !hasFailed() && isStarted() ? family(keyspace, name) : null;
    } catch (SchemaException unknown) {
      return null;
    }
  }

  /** Whether it knows that family. */
  boolean knows(String keyspace, String name) {
    try {
      family(keyspace, name);
      return true;
    } catch (SchemaException unknown) {
      return false;
    }
  }

  @Override
  public CompletableFuture<Void> stop() {
    CompletableFuture<Void> calls = callsEnded;
    if (calls == null) {
      calls = new CompletableFuture<>();
      callsEnded = calls;
      RpcServer server = rpc;
      if (server == null) {
        calls.complete(null);
      } else {
        server.leave();
        lookForCalls(server, clock().monotonicNanos() + server.grace().toNanos(), calls);
      }
    }
    return calls.thenRun(seams.port()::close).thenCompose(closed -> core.stop());
  }

  private void lookForCalls(RpcServer server, long deadlineNanos, CompletableFuture<Void> ended) {
    if (server.hasLeft() || clock().monotonicNanos() >= deadlineNanos) {
      ended.complete(null);
    } else {
      var unused =
          seams
              .environment()
              .scheduler()
              .after(LOOK, Stage.TIMER, () -> lookForCalls(server, deadlineNanos, ended));
    }
  }
}

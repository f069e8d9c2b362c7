package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.LogLevels;
import dev.colonnade.server.base.env.PlugIns;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.memory.NodeMemory;
import dev.colonnade.server.service.admin.ClusterOperations;
import dev.colonnade.server.service.admin.LiveSettings;
import dev.colonnade.server.service.admin.NodeOperations;
import dev.colonnade.server.service.backup.SnapshotOperations;
import dev.colonnade.server.service.bulkload.BulkLoader;
import dev.colonnade.server.service.consistency.ClusterView;
import dev.colonnade.server.service.consistency.SchemaStore;
import dev.colonnade.server.service.consistency.TimestampSource;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.coordinator.RowToucher;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The gRPC server of a node: its services, health, and reflection on one address. Calls run on the
 * event loops that bring them, without a hop to another thread.
 *
 * <p>Thread-safe.
 */
public final class RpcServer {

  /**
   * What the services are built on.
   *
   * @param timestamps for columns written without one
   * @param memory accounts for what clients make the node hold
   * @param plugIns the user's analyzers
   * @param logLevels of the process
   * @param settings of the node, and their changes
   */
  public record Backend(
      RowStore rows,
      RowToucher toucher,
      SchemaStore schemas,
      ClusterView cluster,
      NodeOperations operations,
      ClusterOperations clusterOperations,
      RingAdmin ringChanges,
      BulkLoader bulkLoads,
      SnapshotOperations snapshots,
      TimestampSource timestamps,
      Clock clock,
      Scheduler scheduler,
      NodeMemory memory,
      PlugIns plugIns,
      LogLevels logLevels,
      LiveSettings settings) {}

  /** How often to check whether the last call has ended. */
  private static final long LOOK_MILLIS = 10;

  /**
   * Gives clients time to learn that their connections end, so that they start nothing more on
   * them.
   */
  private static final long FAREWELL_MILLIS = 100;

  private final Server server;
  private final RpcServices services;
  private final RpcSettings settings;

  private RpcServer(Server server, RpcServices services, RpcSettings settings) {
    this.server = server;
    this.services = services;
    this.settings = settings;
  }

  /**
   * Binds the port and starts serving; health reports NOT_SERVING until {@link #serving}.
   *
   * @param port where to listen, with the limits of connections; calls run on the threads that
   *     bring them
   * @param loop the calling thread's event loop, always the same object for the same loop, which
   *     runs a task after it has polled all its connections once more; null on a thread that is no
   *     event loop
   * @param access who may make which calls
   * @throws IOException if the address cannot be bound
   */
  public static RpcServer start(
      ServerBuilder<?> port,
      Supplier<@Nullable Executor> loop,
      Backend backend,
      RpcSettings settings,
      CallMetrics metrics,
      ClientAccess access)
      throws IOException {
    RpcServices services = new RpcServices(backend, settings, metrics, access);
    RpcSettings.ConnectionLimits limits = settings.connections();
    port.maxInboundMetadataSize(limits.maxMetadataBytes())
        .permitKeepAliveTime(limits.minKeepAliveSeconds(), TimeUnit.SECONDS)
        .permitKeepAliveWithoutCalls(true)
        .maxInboundMessageSize(limits.maxMessageBytes())
        .directExecutor();
    services.addTo(port);
    CallLoops loops = new CallLoops(loop, backend.clock()::monotonicNanos);
    port.addTransportFilter(loops.filter());
    return new RpcServer(port.build().start(), services, settings);
  }

  /** The port that was bound. */
  public int port() {
    return server.getPort();
  }

  /** Calls in progress, those of sessions included. */
  public int openCalls() {
    return services.openCalls();
  }

  /** Calls that were refused because too many were in progress, since the start. */
  public long refusedCalls() {
    return services.refusedCalls();
  }

  /**
   * Makes health report SERVING or NOT_SERVING from now on, as {@code serves} says; calls are
   * answered in either case. From any thread: of several calls the last one counts.
   */
  public void serving(BooleanSupplier serves) {
    services.serving(serves);
  }

  /**
   * Begins to stop: health reports NOT_SERVING for good, new calls are refused, sessions are asked
   * to end, and idle connections are closed. Calls under way go on.
   */
  public void leave() {
    services.stop();
    server.shutdown();
  }

  /** Whether no calls on data, schemas and the node are left of those that were under way. */
  public boolean hasLeft() {
    return server.isTerminated() || services.isIdle();
  }

  /** How long calls may go on after {@link #leave}. */
  public Duration grace() {
    return settings.connections().grace();
  }

  /**
   * Stops: see {@link #leave}. Calls on data, schemas and the node may end within the grace period,
   * the rest is cancelled. Blocks until all calls have ended; not for an event loop.
   *
   * @return whether all of those calls ended by themselves
   */
  public boolean stop() throws InterruptedException {
    leave();
    long graceMillis = grace().toMillis();
    boolean ended = hasLeft();
    for (long waited = 0; waited < graceMillis && !ended; waited += LOOK_MILLIS) {
      ended = server.awaitTermination(LOOK_MILLIS, TimeUnit.MILLISECONDS) || hasLeft();
    }
    if (ended) {
      server.awaitTermination(FAREWELL_MILLIS, TimeUnit.MILLISECONDS);
    }
    server.shutdownNow();
    server.awaitTermination(graceMillis, TimeUnit.MILLISECONDS);
    return ended;
  }

  /** Breaks off all calls and connections, as the death of the process would. Blocks shortly. */
  public void abort() throws InterruptedException {
    services.stop();
    server.shutdownNow();
    server.awaitTermination(FAREWELL_MILLIS, TimeUnit.MILLISECONDS);
  }
}

package dev.colonnade.server.node;

import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Watchdog;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.node.platform.ClientPort;
import dev.colonnade.server.node.platform.GrpcTransport;
import dev.colonnade.server.node.platform.OsFileSystem;
import dev.colonnade.server.node.telemetry.TraceExport;
import dev.colonnade.server.service.rpc.CallMetrics;
import dev.colonnade.server.service.rpc.RpcServer;
import dev.colonnade.server.service.rpc.SlowRequest;
import dev.colonnade.server.service.rpc.TracedCall;
import dev.colonnade.server.storage.engine.FamilyDistribution;
import dev.colonnade.server.storage.engine.FamilyFigure;
import dev.colonnade.server.storage.engine.StorageEngine;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.instrumentation.jvm.JvmBufferPoolMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmClassLoadingMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmGarbageCollectorMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmMemoryMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmRuntimeInfoMetric;
import io.prometheus.metrics.instrumentation.jvm.JvmThreadsMetrics;
import io.prometheus.metrics.instrumentation.jvm.ProcessMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Registers all metrics of one node. Each node of a process has a registry of its own. Names, units
 * and labels are listed in docs/metrics.md.
 */
final class NodeMetrics {

  private final PrometheusRegistry registry;
  private final Readings readings;
  private final NodeRuntime core;
  private final CallSeries calls;
  private final SlowRequests slow;
  private final @Nullable TraceExport traces;
  private volatile @Nullable RpcServer rpc;

  /**
   * Registers them.
   *
   * @param traces null if no collector gets traces
   */
  NodeMetrics(
      PrometheusRegistry registry,
      NodeRuntime core,
      GrpcTransport transport,
      LocalStore.Directories directories,
      Watchdog dog,
      @Nullable TraceExport traces) {
    this.registry = registry;
    this.readings = new Readings(registry);
    this.core = core;
    this.traces = traces;
    this.slow = new SlowRequests(core.parts().machine().environment().clock());
    this.calls = new CallSeries(registry, core.schema()::current);
    StorageEngine engine = core.engine();
    addNode(core.health(), dog, core.parts().version());
    addDisks(directories);
    addJvm();
    EngineMetrics.add(readings, engine, core.operations(), core.schema()::current);
    FamilyMetrics.add(registry, core.schema()::current, source(engine));
    MemoryMetrics.add(readings, core.parts().machine().memory(), engine.filters());
    ReplicationMetrics.add(readings, core);
    PeerMetrics.add(readings, transport);
    ClusterMetrics.add(readings, core);
    readings.counter(
        "colonnade_trace_spans_exported",
        "Spans of traces that the collector at otlp_endpoint took",
        () -> traces == null ? 0 : traces.exported());
    readings.counter(
        "colonnade_trace_spans_dropped",
        "Spans that the collector did not take, and traced calls that found no room to wait",
        () -> traces == null ? 0 : traces.dropped());
  }

  private static FamilyMetrics.FamilySource source(StorageEngine engine) {
    return new FamilyMetrics.FamilySource() {
      @Override
      public double figure(FamilyId family, FamilyFigure figure) {
        return engine.figure(family, figure);
      }

      @Override
      public Optional<HistogramDataPointSnapshot> distribution(
          FamilyId family, FamilyDistribution which) {
        return engine.distribution(family, which);
      }
    };
  }

  private void addNode(Health health, Watchdog watchdog, String version) {
    Info.builder()
        .name("colonnade_build_info")
        .help("The version of the node; always 1")
        .labelNames("version")
        .register(registry)
        .setLabelValues(version);
    readings.gauge(
        "colonnade_ready",
        "1 while the node serves clients, as /readyz says; else 0",
        () -> health.report().impact().isReady() ? 1 : 0);
    readings.gauge(
        "colonnade_load_bytes",
        "Bytes of all live data files on disk",
        () -> core.operations().node().loadBytes());
    readings.counter(
        "colonnade_stalls",
        "Stalls found since the start; the log says what stalled and where",
        watchdog::stalls);
    readings.gauges(
        "colonnade_conditions",
        "Present problems of the node, by kind; /readyz describes them",
        points -> {
          Health.Report report = health.report();
          for (Condition condition : Condition.values()) {
            points.add(
                report.problems().stream()
                    .filter(problem -> problem.condition() == condition)
                    .count(),
                condition.text().toLowerCase(Locale.ROOT));
          }
        },
        "condition");
  }

  private void addDisks(LocalStore.Directories directories) {
    Map<String, OsFileSystem> disks = directories.byName();
    disk(
        disks,
        "colonnade_disk_size_bytes",
        "Size of the file system that holds the directory",
        OsFileSystem::sizeBytes);
    disk(
        disks,
        "colonnade_disk_free_bytes",
        "Bytes that the node may still write there",
        OsFileSystem::usableBytes);
    disk(
        disks,
        "colonnade_disk_used_bytes",
        "Size of that file system without what is free",
        files -> files.sizeBytes() - files.usableBytes());
  }

  private interface DiskFigure {
    long of(OsFileSystem files) throws IOException;
  }

  private void disk(Map<String, OsFileSystem> disks, String name, String help, DiskFigure figure) {
    readings.gauges(
        name,
        help,
        points ->
            disks.forEach(
                (label, files) -> {
                  double value;
                  try {
                    value = figure.of(files);
                  } catch (IOException unknown) {
                    // Not a number is how an unknown value is written.
                    value = Double.NaN;
                  }
                  points.add(value, label);
                }),
        "disk");
  }

  /** Without those that would listen to the collector for as long as the process lives. */
  private void addJvm() {
    JvmBufferPoolMetrics.builder().register(registry);
    JvmClassLoadingMetrics.builder().register(registry);
    JvmGarbageCollectorMetrics.builder().register(registry);
    JvmMemoryMetrics.builder().register(registry);
    JvmRuntimeInfoMetric.builder().register(registry);
    JvmThreadsMetrics.builder().register(registry);
    ProcessMetrics.builder().register(registry);
  }

  /** Adds the figures of the port for clients. */
  void add(ClientPort port, RpcServer rpc) {
    this.rpc = rpc;
    readings.gauge(
        "colonnade_client_connections", "Open connections of clients", port::connections);
    readings.counter(
        "colonnade_client_connections_refused",
        "Connections of clients that were closed for lack of room",
        port::connectionsRefused);
    readings.gauge("colonnade_rpc_calls_pending", "Calls of clients in progress", rpc::openCalls);
    readings.counter(
        "colonnade_rpc_calls_dropped",
        "Calls of clients that were refused because too many were in progress",
        rpc::refusedCalls);
    readings.counter(
        "colonnade_rpc_slow_calls",
        "Data calls of clients that took at least slow_request_threshold",
        slow::total);
  }

  PrometheusRegistry registry() {
    return registry;
  }

  /** Counts and times calls. */
  CallMetrics calls() {
    return new CallMetrics() {
      @Override
      public void ended(
          String method, String statusCode, String keyspace, String family, long nanos) {
        calls.ended(method, statusCode, keyspace, family, nanos);
      }

      @Override
      public void slow(SlowRequest request) {
        slow.add(request);
      }

      @Override
      public void traced(TracedCall call) {
        if (traces != null) {
          traces.add(call);
        }
      }
    };
  }

  /** The durations of calls since the start. */
  List<HistogramDataPointSnapshot> callDurations() {
    return calls.points();
  }

  /** Calls that took long, the last ones first. */
  List<SlowRequests.Ended> slowRequests() {
    return slow.last();
  }

  /** Calls of clients in progress. */
  int openCalls() {
    RpcServer started = rpc;
    return started == null ? 0 : started.openCalls();
  }

  /** Calls of clients that were refused because too many were in progress. */
  long refusedCalls() {
    RpcServer started = rpc;
    return started == null ? 0 : started.refusedCalls();
  }

  /** Drops the series of families that were removed. One thread at a time. */
  void follow() {
    calls.follow(core.schema().current());
  }
}

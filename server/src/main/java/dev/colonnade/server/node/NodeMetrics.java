package dev.colonnade.server.node;

import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Watchdog;
import dev.colonnade.server.base.metrics.Counter;
import dev.colonnade.server.base.metrics.Labels;
import dev.colonnade.server.base.metrics.Latency;
import dev.colonnade.server.base.metrics.MetricSet;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.service.admin.NodeOperations;
import dev.colonnade.server.service.rpc.CallMetrics;
import dev.colonnade.server.storage.engine.FamilyFigure;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

/** Registers the node's metrics, one series for each family, stage and method. */
final class NodeMetrics {

  private static final long NANOS_PER_MICRO = 1_000;

  private final MetricSet metrics = new MetricSet();
  private final Map<String, MethodFigures> figures = new ConcurrentHashMap<>();
  private final StorageEngine engine;
  private final FamilyMetrics families;
  private volatile Set<FamilyId> known = Set.of();

  NodeMetrics(StorageEngine engine, NodeOperations operations, Health health, Watchdog watchdog) {
    this.engine = engine;
    this.families = new FamilyMetrics(metrics, engine::figure);
    gauge(
        "colonnade_commitlog_bytes",
        "Bytes in the commit log's segments",
        () -> engine.figures().log().bytes());
    gauge(
        "colonnade_commitlog_segments",
        "Segments of the commit log",
        () -> engine.figures().log().segments());
    gauge(
        "colonnade_commitlog_syncs",
        "Syncs of the commit log",
        () -> engine.figures().log().syncs());
    gauge(
        "colonnade_write_queue_bytes",
        "Mutations waiting for the commit log",
        () -> engine.figures().queuedBytes());
    gauge(
        "colonnade_off_heap_block_bytes",
        "Blocks of data files outside of the heap",
        () -> engine.figures().offHeapBlocks().weight());
    gauge(
        "colonnade_off_heap_block_hits",
        "Blocks that were found there, and not on the heap",
        () -> engine.figures().offHeapBlocks().hits());
    gauge(
        "colonnade_quarantined_files",
        "Damaged data files that were set aside; alert on anything above 0",
        () -> known.stream().mapToDouble(this::quarantined).sum());
    gauge(
        "colonnade_series_left_out",
        "Series that are not shown because there are too many; alert on anything above 0",
        metrics::leftOut);
    gauge("colonnade_heap_used_bytes", "Heap in use", () -> operations.node().heapUsedBytes());
    gauge(
        "colonnade_ready",
        "1 while the node serves clients, as /readyz says; else 0",
        () -> health.report().impact().isReady() ? 1 : 0);
    gauge(
        "colonnade_stalls",
        "Stalls found since the start; the log says what stalled and where",
        watchdog::stalls);
    for (Condition condition : Condition.values()) {
      metrics.gauge(
          "colonnade_conditions",
          "Present problems of the node, by kind; /readyz describes them",
          Labels.of("condition", condition.text()),
          () ->
              health.report().problems().stream()
                  .filter(problem -> problem.condition() == condition)
                  .count());
    }
    for (Scheduler.StageFigures stage : operations.stages()) {
      stage(operations, stage.stage());
    }
  }

  private double quarantined(FamilyId family) {
    return engine.figure(family, FamilyFigure.QUARANTINED_FILES);
  }

  private interface Figure {
    double now();
  }

  private void gauge(String name, String help, Figure figure) {
    metrics.gauge(name, help, Labels.NONE, figure::now);
  }

  private void stage(NodeOperations operations, Stage name) {
    stage(operations, name, "active", "Running tasks", Scheduler.StageFigures::active);
    stage(operations, name, "pending", "Waiting tasks", Scheduler.StageFigures::pending);
    stage(operations, name, "completed", "Completed tasks", Scheduler.StageFigures::completed);
    stage(operations, name, "dropped", "Refused tasks", Scheduler.StageFigures::rejected);
    stage(
        operations,
        name,
        "still_seconds",
        "How long the running task has made no progress; of several tasks, the longest",
        figures -> figures.still().toMillis() / 1e3);
  }

  private void stage(
      NodeOperations operations,
      Stage name,
      String what,
      String help,
      ToDoubleFunction<Scheduler.StageFigures> figure) {
    metrics.gauge(
        "colonnade_stage_" + what,
        help,
        Labels.of("stage", name.name().toLowerCase(Locale.ROOT)),
        () ->
            operations.stages().stream()
                .filter(stage -> stage.stage() == name)
                .mapToDouble(figure)
                .sum());
  }

  MetricSet set() {
    return metrics;
  }

  /** Counts calls by method and status, and times them by method. */
  CallMetrics calls() {
    return (method, statusCode, micros) ->
        figures
            .computeIfAbsent(method, MethodFigures::new)
            .ended(statusCode, micros * NANOS_PER_MICRO);
  }

  /** The series of one method, looked up once: registering takes longer than many calls do. */
  private final class MethodFigures {
    private final Latency latency;
    private final Map<String, Counter> byStatus = new ConcurrentHashMap<>();
    private final String method;

    MethodFigures(String method) {
      this.method = method;
      this.latency =
          metrics.latency(
              "colonnade_rpc_duration_seconds",
              "Duration of a call, from its headers to its end",
              Labels.of("method", method));
    }

    void ended(String statusCode, long nanos) {
      byStatus.computeIfAbsent(statusCode, this::counter).increment();
      latency.record(nanos);
    }

    private Counter counter(String statusCode) {
      return metrics.counter(
          "colonnade_rpc_calls",
          "Calls that have ended, by method and gRPC status",
          Labels.of("method", method).and("code", statusCode));
    }
  }

  /** Adds new families and drops those that were removed. One thread at a time. */
  void follow(Schema schema) {
    families.follow(schema);
    known = schema.families().keySet();
  }
}

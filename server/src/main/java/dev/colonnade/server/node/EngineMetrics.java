package dev.colonnade.server.node;

import dev.colonnade.server.base.env.Scheduler.StageFigures;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.service.admin.NodeOperations;
import dev.colonnade.server.storage.cache.CacheFigures;
import dev.colonnade.server.storage.engine.EngineFigures;
import dev.colonnade.server.storage.engine.FamilyFigure;
import dev.colonnade.server.storage.engine.MergeFigures;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** Registers metrics of the store as a whole: commit log, caches, merges, damage, and stages. */
final class EngineMetrics {

  private static final double MILLIS_PER_SECOND = 1e3;

  private final Readings readings;
  private final StorageEngine engine;

  private EngineMetrics(Readings readings, StorageEngine engine) {
    this.readings = readings;
    this.engine = engine;
  }

  static void add(
      Readings readings, StorageEngine engine, NodeOperations operations, Supplier<Schema> schema) {
    EngineMetrics metrics = new EngineMetrics(readings, engine);
    metrics.addLog();
    metrics.addCaches();
    metrics.addFiles(schema);
    metrics.addStages(operations);
  }

  private void gauge(String name, String help, ToLongFunction<EngineFigures> figure) {
    readings.gauge(name, help, () -> figure.applyAsLong(engine.figures()));
  }

  private void counter(String name, String help, ToLongFunction<EngineFigures> figure) {
    readings.counter(name, help, () -> figure.applyAsLong(engine.figures()));
  }

  private void addLog() {
    gauge("colonnade_commitlog_bytes", "Bytes in the commit log's segments", f -> f.log().bytes());
    gauge("colonnade_commitlog_segments", "Segments of the commit log", f -> f.log().segments());
    counter("colonnade_commitlog_syncs", "Syncs of the commit log", f -> f.log().syncs());
    counter("colonnade_commitlog_records", "Records written to the log", f -> f.log().records());
    counter(
        "colonnade_commitlog_appended_bytes",
        "Bytes written to the commit log",
        f -> f.log().appendedBytes());
    counter(
        "colonnade_commitlog_archived_segments",
        "Segments of the commit log that were archived",
        f -> f.log().archive().segments());
    counter(
        "colonnade_commitlog_archive_failures",
        "Attempts to archive a segment of the commit log that failed, and are made again",
        f -> f.log().archive().failures());
    counter(
        "colonnade_commitlog_archive_gaps",
        "Segments of the commit log that were deleted without being archived, because too many waited for it",
        f -> f.log().archive().gaps());
    gauge(
        "colonnade_commitlog_archive_waiting_bytes",
        "Bytes of segments of the commit log that are kept only until they are archived",
        f -> f.log().archive().waitingBytes());
    gauge(
        "colonnade_write_queue_bytes",
        "Mutations waiting for the commit log",
        EngineFigures::queuedBytes);
    counter(
        "colonnade_write_queue_dropped",
        "Mutations refused because too many wait for the commit log",
        EngineFigures::refusedWrites);
  }

  private void addCaches() {
    cache("colonnade_block_cache_bytes", "Blocks in memory", false, CacheFigures::weight);
    cache("colonnade_block_cache_limit_bytes", "The cache's limit", false, CacheFigures::capacity);
    cache("colonnade_block_cache_hits", "Blocks found in memory", true, CacheFigures::hits);
    cache("colonnade_block_cache_misses", "Blocks not found there", true, CacheFigures::misses);
    cache(
        "colonnade_block_cache_evictions",
        "Blocks that had to make room",
        true,
        CacheFigures::evictions);
  }

  private void cache(String name, String help, boolean grows, ToLongFunction<CacheFigures> what) {
    String place = help + "; heap, and off_heap for blocks that the heap has lost";
    Consumer<Readings.Points> series =
        points -> {
          EngineFigures figures = engine.figures();
          points.add(what.applyAsLong(figures.blockCache()), "heap");
          points.add(what.applyAsLong(figures.offHeapBlocks()), "off_heap");
        };
    if (grows) {
      readings.counters(name, place, series, "cache");
    } else {
      readings.gauges(name, place, series, "cache");
    }
  }

  private void addFiles(Supplier<Schema> schema) {
    readings.gauge(
        "colonnade_quarantined_files",
        "Damaged data files that were set aside",
        () -> schema.get().families().keySet().stream().mapToDouble(this::quarantined).sum());
    counter(
        "colonnade_scrub_verified_bytes",
        "Bytes of data files whose checksums the scrub in the background compared",
        f -> f.scrub().verifiedBytes());
    counter(
        "colonnade_scrub_damaged_files",
        "Files in which the scrub in the background found damage",
        f -> f.scrub().damagedFiles());
    gauge(
        "colonnade_scrub_last_pass_timestamp_seconds",
        "When the scrub in the background last had read all files, in seconds since 1970; 0 if it has not"
            + " since the start",
        f -> f.scrub().lastPassSeconds());
    readings.gauge(
        "colonnade_merges_running", "Compactions in progress", () -> engine.merges().size());
    readings.gauge(
        "colonnade_merges_remaining_bytes",
        "Bytes of data files that compactions in progress have yet to read",
        () -> engine.merges().stream().mapToDouble(EngineMetrics::remaining).sum());
  }

  private static double remaining(MergeFigures merge) {
    return Math.max(0, merge.bytesTotal() - merge.bytesDone());
  }

  private double quarantined(FamilyId family) {
    return engine.figure(family, FamilyFigure.QUARANTINED_FILES);
  }

  private void addStages(NodeOperations operations) {
    gauge(operations, "active_tasks", "Running tasks", StageFigures::active);
    gauge(operations, "pending_tasks", "Waiting tasks", StageFigures::pending);
    counter(operations, "completed_tasks", "Completed tasks", StageFigures::completed);
    counter(
        operations,
        "dropped_tasks",
        "Tasks refused because too many were waiting",
        StageFigures::rejected);
    counter(
        operations, "failed_tasks", "Completed tasks that threw an error", StageFigures::failed);
    gauge(
        operations,
        "still_seconds",
        "How long the running task has made no progress; of several tasks, the longest",
        figures -> figures.still().toMillis() / MILLIS_PER_SECOND);
  }

  private void gauge(
      NodeOperations operations, String what, String help, ToDoubleFunction<StageFigures> figure) {
    readings.gauges(
        "colonnade_stage_" + what, help, points -> each(operations, figure, points), "stage");
  }

  private void counter(
      NodeOperations operations, String what, String help, ToDoubleFunction<StageFigures> figure) {
    readings.counters(
        "colonnade_stage_" + what, help, points -> each(operations, figure, points), "stage");
  }

  private static void each(
      NodeOperations operations, ToDoubleFunction<StageFigures> figure, Readings.Points points) {
    for (StageFigures stage : operations.stages()) {
      points.add(figure.applyAsDouble(stage), stage.stage().name().toLowerCase(Locale.ROOT));
    }
  }
}

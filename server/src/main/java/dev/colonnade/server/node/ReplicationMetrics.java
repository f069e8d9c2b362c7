package dev.colonnade.server.node;

import dev.colonnade.server.base.config.ReplicationSettings;
import dev.colonnade.server.cluster.hints.HintTotals;
import dev.colonnade.server.cluster.repair.RepairProgress;
import dev.colonnade.server.cluster.repair.Repairs.RepairFigures;
import dev.colonnade.server.cluster.streaming.StreamProgress;
import dev.colonnade.server.cluster.streaming.StreamTotals;
import dev.colonnade.server.service.bulkload.BulkLoads;
import dev.colonnade.server.service.consistency.CoordinatorFigures;
import dev.colonnade.server.service.coordinator.TimestampWatch;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * Registers metrics of what keeps replicas equal: reads from several of them, hints, streams and
 * repairs; and of bulk loads.
 */
final class ReplicationMetrics {

  private static final String DIRECTION = "direction";
  private static final String OUTCOME = "outcome";

  private final Readings readings;
  private final NodeRuntime core;

  private ReplicationMetrics(Readings readings, NodeRuntime core) {
    this.readings = readings;
    this.core = core;
  }

  static void add(Readings readings, NodeRuntime core) {
    ReplicationMetrics metrics = new ReplicationMetrics(readings, core);
    metrics.addReads();
    metrics.addTimestamps();
    metrics.addHints();
    metrics.addStreams();
    metrics.addRepairs();
    metrics.addLoads();
  }

  private void addReads() {
    read("mismatched", "Reads whose replicas differed", CoordinatorFigures::mismatches);
    read(
        "hedged",
        "Reads that asked a spare replica because one was slow",
        CoordinatorFigures::late);
    read(
        "compared_in_background",
        "Reads below QUORUM after which all replicas were compared",
        CoordinatorFigures::inBackground);
  }

  private void read(String what, String help, ToLongFunction<CoordinatorFigures> figure) {
    readings.counter(
        "colonnade_replica_reads_" + what,
        help,
        () -> figure.applyAsLong(core.coordinator().figures()));
  }

  private void addTimestamps() {
    readings.counters(
        "colonnade_client_odd_timestamps",
        "Timestamps of writes that are not the microseconds of about now, of the one that is looked"
            + " at in each row; by what they look like: seconds, milliseconds, nanoseconds, ahead or"
            + " behind by more than a day",
        points -> {
          for (TimestampWatch.Look look : TimestampWatch.Look.values()) {
            points.add(
                core.coordinator().timestamps().count(look), look.name().toLowerCase(Locale.ROOT));
          }
        },
        "look");
  }

  private void addHints() {
    Map<String, ToLongFunction<HintTotals>> outcomes = new TreeMap<>();
    outcomes.put("kept", HintTotals::kept);
    outcomes.put("refused", HintTotals::refused);
    outcomes.put("delivered", HintTotals::delivered);
    outcomes.put("handed_over", HintTotals::handedOver);
    outcomes.put("dropped_old", HintTotals::droppedOld);
    outcomes.put("dropped_family_gone", HintTotals::droppedGone);
    outcomes.put("dropped_truncated", HintTotals::droppedTruncated);
    outcomes.put("dropped_refused", HintTotals::droppedRefused);
    readings.counters(
        "colonnade_hints",
        "Hints since the start, by outcome",
        points -> {
          HintTotals totals = core.hints().totals();
          outcomes.forEach((outcome, count) -> points.add(count.applyAsLong(totals), outcome));
        },
        OUTCOME);
    readings.counter(
        "colonnade_hints_damaged_segments",
        "Files of hints that were set aside because of damage; their content needs a repair",
        () -> core.hints().totals().damagedSegments());
    readings.gauge(
        "colonnade_hints_queued_bytes",
        "Hints waiting to be written to disk",
        () -> core.hints().totals().queuedBytes());
  }

  private void addStreams() {
    running("colonnade_streams_running", "Range streams in progress", stream -> 1);
    running(
        "colonnade_streams_running_bytes",
        "Moved so far by the streams in progress",
        StreamProgress::bytes);
    readings.counters(
        "colonnade_streams",
        "Range streams that have ended, by outcome: done or failed",
        points -> {
          for (Direction direction : Direction.values()) {
            StreamTotals totals = core.streams().totals(direction.outgoing());
            points.add(totals.done(), direction.label, "done");
            points.add(totals.failed(), direction.label, "failed");
          }
        },
        DIRECTION,
        OUTCOME);
    moved("colonnade_stream_rows", "Rows moved by range streams", StreamTotals::rows);
    moved("colonnade_stream_bytes", "Bytes of rows moved by range streams", StreamTotals::bytes);
    readings.gauge(
        "colonnade_stream_limit_bytes_per_second",
        "The rate limit that all streams of this node share; 0 for no limit",
        () -> core.liveSettings().get(ReplicationSettings.STREAM_BYTES_PER_SECOND));
  }

  private enum Direction {
    OUT("out"),
    IN("in");

    private final String label;

    Direction(String label) {
      this.label = label;
    }

    boolean outgoing() {
      return this == OUT;
    }
  }

  private void running(String name, String help, ToDoubleFunction<StreamProgress> figure) {
    readings.gauges(
        name,
        help,
        points -> {
          for (Direction direction : Direction.values()) {
            double sum =
                core.streams().figures().stream()
                    .filter(stream -> stream.outgoing() == direction.outgoing())
                    .filter(
                        stream ->
                            stream.state() != StreamProgress.StreamState.DONE
                                && stream.state() != StreamProgress.StreamState.FAILED)
                    .mapToDouble(figure)
                    .sum();
            points.add(sum, direction.label);
          }
        },
        DIRECTION);
  }

  private void moved(String name, String help, ToLongFunction<StreamTotals> figure) {
    readings.counters(
        name,
        help,
        points -> {
          for (Direction direction : Direction.values()) {
            points.add(
                figure.applyAsLong(core.streams().totals(direction.outgoing())), direction.label);
          }
        },
        DIRECTION);
  }

  private void addRepairs() {
    readings.counters(
        "colonnade_repairs",
        "Repairs begun by this node that have ended: done, or failed or cancelled",
        points -> {
          RepairFigures figures = core.repairs().figures();
          points.add(figures.done(), "done");
          points.add(figures.failed(), "failed");
        },
        OUTCOME);
    repair(
        "colonnade_repair_ranges", "Ranges of families that were compared", RepairFigures::ranges);
    repair(
        "colonnade_repair_mismatched_ranges",
        "Parts of compared ranges that differed on some replica",
        RepairFigures::mismatchedRanges);
    repair(
        "colonnade_repair_moved_rows",
        "Rows sent between replicas by repairs",
        RepairFigures::movedRows);
    readings.gauge(
        "colonnade_repair_running",
        "1 while a repair that this node began is under way",
        () -> core.repairs().figures().running().isPresent() ? 1 : 0);
    readings.gauge(
        "colonnade_repair_progress_ratio",
        "The share of its ranges that the running repair has compared, from 0 to 1",
        () -> core.repairs().figures().running().map(ReplicationMetrics::share).orElse(0.0));
    readings.gauge(
        "colonnade_repairs_pending",
        "Ranges that this node is to repair by itself: other replicas lack rows of bulk loads",
        () -> core.bulkLoads().figures().pendingRepairs());
  }

  private static double share(RepairProgress progress) {
    return progress.total() == 0 ? 0 : (double) progress.done() / progress.total();
  }

  private void repair(String name, String help, ToLongFunction<RepairFigures> figure) {
    readings.counter(name, help, () -> figure.applyAsLong(core.repairs().figures()));
  }

  private void addLoads() {
    readings.gauge(
        "colonnade_bulk_loads_open",
        "Bulk loads that are open",
        () -> core.bulkLoads().figures().open());
    loads("colonnade_bulk_loads_committed", "Bulk loads taken", BulkLoads.Figures::loads);
    loads("colonnade_bulk_load_rows", "Rows of bulk loads taken", BulkLoads.Figures::rows);
    loads("colonnade_bulk_load_bytes", "Bytes of bulk loads taken", BulkLoads.Figures::bytes);
  }

  private void loads(String name, String help, ToLongFunction<BulkLoads.Figures> figure) {
    readings.counter(name, help, () -> figure.applyAsLong(core.bulkLoads().figures()));
  }
}

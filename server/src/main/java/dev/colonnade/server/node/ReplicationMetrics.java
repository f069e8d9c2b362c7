package dev.colonnade.server.node;

import dev.colonnade.server.base.metrics.Labels;
import dev.colonnade.server.base.metrics.MetricSet;
import dev.colonnade.server.cluster.hints.HintTotals;
import dev.colonnade.server.service.bulkload.BulkLoads;
import dev.colonnade.server.service.consistency.CoordinatorFigures;
import java.util.function.ToLongFunction;

/** Registers metrics of reads from several replicas, of hints and of bulk loads. */
final class ReplicationMetrics {

  private final MetricSet metrics;
  private final NodeRuntime core;

  private ReplicationMetrics(MetricSet metrics, NodeRuntime core) {
    this.metrics = metrics;
    this.core = core;
  }

  static void add(MetricSet metrics, NodeRuntime core) {
    new ReplicationMetrics(metrics, core).add();
  }

  private void add() {
    read("mismatches", "Reads whose replicas differed", CoordinatorFigures::mismatches);
    read(
        "hedged",
        "Reads that asked a spare replica because one was slow",
        CoordinatorFigures::late);
    read(
        "compared_in_background",
        "Reads below QUORUM after which all replicas were compared",
        CoordinatorFigures::inBackground);
    hints("kept", HintTotals::kept);
    hints("refused", HintTotals::refused);
    hints("delivered", HintTotals::delivered);
    hints("handed_over", HintTotals::handedOver);
    hints("dropped_old", HintTotals::droppedOld);
    hints("dropped_family_gone", HintTotals::droppedGone);
    hints("dropped_truncated", HintTotals::droppedTruncated);
    hints("dropped_refused", HintTotals::droppedRefused);
    metrics.gauge(
        "colonnade_hints_queued_bytes",
        "Hints waiting to be written to disk",
        Labels.NONE,
        () -> core.hints().totals().queuedBytes());
    loads("colonnade_bulk_loads_open", "Bulk loads that are open", BulkLoads.Figures::open);
    loads("colonnade_bulk_loads_committed", "Bulk loads taken", BulkLoads.Figures::loads);
    loads("colonnade_bulk_load_rows", "Rows of bulk loads taken", BulkLoads.Figures::rows);
    loads("colonnade_bulk_load_bytes", "Bytes of bulk loads taken", BulkLoads.Figures::bytes);
  }

  private void loads(String name, String help, ToLongFunction<BulkLoads.Figures> figure) {
    metrics.gauge(name, help, Labels.NONE, () -> figure.applyAsLong(core.bulkLoads().figures()));
  }

  private void read(String what, String help, ToLongFunction<CoordinatorFigures> figure) {
    metrics.gauge(
        "colonnade_replica_reads_" + what,
        help,
        Labels.NONE,
        () -> figure.applyAsLong(core.coordinator().figures()));
  }

  private void hints(String outcome, ToLongFunction<HintTotals> figure) {
    metrics.gauge(
        "colonnade_hints",
        "Hints since the start, by outcome",
        Labels.of("outcome", outcome),
        () -> figure.applyAsLong(core.hints().totals()));
  }
}

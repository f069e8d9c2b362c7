package dev.colonnade.server.node;

import dev.colonnade.server.base.metrics.Labels;
import dev.colonnade.server.base.metrics.MetricSet;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.storage.engine.FamilyFigure;
import java.util.HashSet;
import java.util.Set;
import java.util.function.ToDoubleBiFunction;

/**
 * Registers a series of each figure for each column family, up to a limit: there are some forty
 * figures, and the metric set has a limit that other metrics need as well.
 */
final class FamilyMetrics {

  /** The most families with series; GetStats shows the others. */
  static final int FAMILIES_MAX = 1_000;

  private static final String FAMILY = "family_id";

  private final MetricSet metrics;
  private final ToDoubleBiFunction<FamilyId, FamilyFigure> figures;
  private final Set<FamilyId> shown = new HashSet<>();
  private volatile int left;

  /**
   * Starts without families.
   *
   * @param figures the present value of a family's figure; any thread
   */
  FamilyMetrics(MetricSet metrics, ToDoubleBiFunction<FamilyId, FamilyFigure> figures) {
    this.metrics = metrics;
    this.figures = figures;
    metrics.gauge(
        "colonnade_families_without_metrics",
        "Families beyond the " + FAMILIES_MAX + " that have series of their own",
        Labels.NONE,
        () -> left);
  }

  /** Adds new families and drops those that were removed. One thread at a time. */
  void follow(Schema schema) {
    Set<String> gone = new HashSet<>();
    shown.removeIf(
        id -> {
          boolean isGone = !schema.families().containsKey(id);
          if (isGone) {
            gone.add(id.toString());
          }
          return isGone;
        });
    if (!gone.isEmpty()) {
      metrics.remove(FAMILY, gone);
    }
    for (ColumnFamily family : schema.families().values()) {
      if (shown.size() == FAMILIES_MAX) {
        break;
      }
      if (shown.add(family.id())) {
        add(family);
      }
    }
    left = schema.families().size() - shown.size();
  }

  private void add(ColumnFamily family) {
    for (FamilyFigure figure : FamilyFigure.values()) {
      FamilyId id = family.id();
      metrics.gauge(
          "colonnade_family_" + figure.figureName(),
          figure.help(),
          Labels.of("keyspace", family.keyspace())
              .and("family", family.name())
              .and(FAMILY, id.toString()),
          () -> figures.applyAsDouble(id, figure));
    }
  }
}

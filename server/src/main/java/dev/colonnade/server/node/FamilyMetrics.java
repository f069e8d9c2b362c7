package dev.colonnade.server.node;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.storage.engine.FamilyDistribution;
import dev.colonnade.server.storage.engine.FamilyFigure;
import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Registers each figure of column families, with a series for each family up to a limit: there are
 * some thirty figures, and an answer has to stay readable.
 */
final class FamilyMetrics {

  /** The most families with series; GetStats shows the others. */
  static final int FAMILIES_MAX = 1_000;

  private static final String[] LABELS = {"keyspace", "family", "family_id"};

  /** Where the values come from; any thread. */
  interface FamilySource {

    /** The present value of a figure. */
    double figure(FamilyId family, FamilyFigure figure);

    /** What was measured; empty if nothing was. */
    Optional<HistogramDataPointSnapshot> distribution(FamilyId family, FamilyDistribution which);
  }

  private final Supplier<Schema> schema;
  private final FamilySource source;

  private FamilyMetrics(Supplier<Schema> schema, FamilySource source) {
    this.schema = schema;
    this.source = source;
  }

  static void add(PrometheusRegistry registry, Supplier<Schema> schema, FamilySource source) {
    new FamilyMetrics(schema, source).add(registry);
  }

  private void add(PrometheusRegistry registry) {
    Readings readings = new Readings(registry);
    readings.gauge(
        "colonnade_families_without_metrics",
        "Families beyond the " + FAMILIES_MAX + " that have series of their own",
        () -> Math.max(0, schema.get().families().size() - FAMILIES_MAX));
    for (FamilyFigure figure : FamilyFigure.values()) {
      if (figure.isMean()) {
        continue;
      }
      if (figure.isCounter()) {
        readings.counters(
            figure.metricName(), figure.help(), points -> each(figure, points), LABELS);
      } else {
        readings.gauges(figure.metricName(), figure.help(), points -> each(figure, points), LABELS);
      }
    }
    for (FamilyDistribution which : FamilyDistribution.values()) {
      registry.register(new Distribution(which));
    }
  }

  /** The families that have series: the oldest first, so that new ones push no other out. */
  private Stream<ColumnFamily> shown() {
    return schema.get().families().values().stream().limit(FAMILIES_MAX);
  }

  private void each(FamilyFigure figure, Readings.Points points) {
    shown()
        .forEach(
            family ->
                points.add(
                    source.figure(family.id(), figure),
                    family.keyspace(),
                    family.name(),
                    family.id().toString()));
  }

  /** One histogram, made of those of the families. */
  private final class Distribution implements Collector {
    private final FamilyDistribution which;

    Distribution(FamilyDistribution which) {
      this.which = which;
    }

    @Override
    public MetricSnapshot collect() {
      List<HistogramDataPointSnapshot> points =
          shown().flatMap(family -> point(family).stream()).toList();
      HistogramSnapshot.Builder all =
          HistogramSnapshot.builder().name(which.metricName()).help(which.help());
      points.forEach(all::dataPoint);
      return all.build();
    }

    private Optional<HistogramDataPointSnapshot> point(ColumnFamily family) {
      return source
          .distribution(family.id(), which)
          .map(
              point ->
                  new HistogramDataPointSnapshot(
                      point.getClassicBuckets(),
                      point.getSum(),
                      Labels.of(
                          LABELS,
                          new String[] {family.keyspace(), family.name(), family.id().toString()}),
                      Exemplars.EMPTY,
                      point.getCreatedTimestampMillis()));
    }
  }
}

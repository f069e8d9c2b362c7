package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.metrics.Counter;
import dev.colonnade.server.base.metrics.Gauge;
import dev.colonnade.server.base.metrics.Labels;
import dev.colonnade.server.base.metrics.Latency;
import dev.colonnade.server.base.metrics.LatencySnapshot;
import dev.colonnade.server.base.metrics.Metric;
import dev.colonnade.server.base.metrics.MetricFamily;
import dev.colonnade.server.base.metrics.MetricSet;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Formats metrics in Prometheus's text format. Durations are in seconds, with a bucket for each
 * power of two.
 */
final class PrometheusText {
  static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

  private static final double NANOS_PER_SECOND = 1e9;

  private PrometheusText() {}

  static byte[] render(MetricSet metrics) {
    MetricSnapshots.Builder all = MetricSnapshots.builder();
    for (MetricFamily family : metrics.families()) {
      all.metricSnapshot(snapshot(family));
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      PrometheusTextFormatWriter.create().write(out, all.build());
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory cannot fail", e);
    }
    return out.toByteArray();
  }

  private static MetricSnapshot snapshot(MetricFamily family) {
    Metric first = family.series().values().iterator().next();
    if (first instanceof Counter) {
      return counters(family);
    }
    return first instanceof Gauge ? gauges(family) : latencies(family);
  }

  private static MetricSnapshot counters(MetricFamily family) {
    CounterSnapshot.Builder builder =
        CounterSnapshot.builder().name(family.name()).help(family.help());
    family
        .series()
        .forEach(
            (labels, metric) ->
                builder.dataPoint(
                    CounterSnapshot.CounterDataPointSnapshot.builder()
                        .labels(labels(labels))
                        .value((double) ((Counter) metric).total())
                        .build()));
    return builder.build();
  }

  private static MetricSnapshot gauges(MetricFamily family) {
    GaugeSnapshot.Builder builder = GaugeSnapshot.builder().name(family.name()).help(family.help());
    family
        .series()
        .forEach(
            (labels, metric) ->
                builder.dataPoint(
                    GaugeSnapshot.GaugeDataPointSnapshot.builder()
                        .labels(labels(labels))
                        .value(((Gauge) metric).value())
                        .build()));
    return builder.build();
  }

  private static MetricSnapshot latencies(MetricFamily family) {
    HistogramSnapshot.Builder builder =
        HistogramSnapshot.builder().name(family.name()).help(family.help());
    family
        .series()
        .forEach(
            (labels, metric) -> {
              LatencySnapshot snapshot = ((Latency) metric).snapshot();
              builder.dataPoint(
                  HistogramSnapshot.HistogramDataPointSnapshot.builder()
                      .labels(labels(labels))
                      .classicHistogramBuckets(buckets(snapshot))
                      .sum(snapshot.sumNanos() / NANOS_PER_SECOND)
                      .build());
            });
    return builder.build();
  }

  private static ClassicHistogramBuckets buckets(LatencySnapshot snapshot) {
    double[] bounds = new double[snapshot.buckets()];
    long[] counts = new long[bounds.length];
    for (int i = 0; i < bounds.length; i++) {
      long nanos = snapshot.upperBoundNanos(i);
      bounds[i] = nanos == Long.MAX_VALUE ? Double.POSITIVE_INFINITY : nanos / NANOS_PER_SECOND;
      counts[i] = snapshot.bucketCount(i);
    }
    return ClassicHistogramBuckets.of(bounds, counts);
  }

  private static io.prometheus.metrics.model.snapshots.Labels labels(Labels labels) {
    return io.prometheus.metrics.model.snapshots.Labels.of(
        labels.pairs().keySet().toArray(String[]::new),
        labels.pairs().values().toArray(String[]::new));
  }
}

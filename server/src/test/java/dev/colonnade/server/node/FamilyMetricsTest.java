package dev.colonnade.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.storage.engine.FamilyDistribution;
import dev.colonnade.server.storage.engine.FamilyFigure;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How many series families and calls may have, and that those of families that are gone go. */
final class FamilyMetricsTest {

  private static final int KEYSPACES = 11;
  private static final int FAMILIES = 100;
  private static final String GET = "colonnade.v1.ColumnStoreService/Get";

  private final RandomSource random = new SeededRandom(1);
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private Schema schema = Schema.empty(ComparatorResolver.builtIns());

  private static final FamilyMetrics.FamilySource ONES =
      new FamilyMetrics.FamilySource() {
        @Override
        public double figure(FamilyId family, FamilyFigure figure) {
          return 1;
        }

        @Override
        public Optional<HistogramDataPointSnapshot> distribution(
            FamilyId family, FamilyDistribution which) {
          return Optional.empty();
        }
      };

  private Schema manyFamilies() throws Exception {
    Schema many = Schema.empty(ComparatorResolver.builtIns());
    for (int k = 0; k < KEYSPACES; k++) {
      KeyspaceDefinition keyspace = KeyspaceDefinition.of("K" + k);
      for (int f = 0; f < FAMILIES; f++) {
        keyspace = keyspace.withFamily(FamilyDefinition.standard("K" + k, "F" + f, "UTF8Type"));
      }
      many = many.createKeyspace(keyspace, random, 1).after();
    }
    return many;
  }

  private List<? extends DataPointSnapshot> points(String metric) {
    return registry.scrape().stream()
        .filter(each -> each.getMetadata().getName().equals(metric))
        .findFirst()
        .map(MetricSnapshot::getDataPoints)
        .orElse(List.of());
  }

  private long series() {
    ToLongFunction<MetricSnapshot> size = metric -> metric.getDataPoints().size();
    return registry.scrape().stream().mapToLong(size).sum();
  }

  @Test
  void thousandsOfFamiliesAreShownUpToALimit() throws Exception {
    FamilyMetrics.add(registry, () -> schema, ONES);
    schema = manyFamilies();

    assertEquals(1_000, points("colonnade_family_disk_bytes").size());
    GaugeDataPointSnapshot without =
        (GaugeDataPointSnapshot) points("colonnade_families_without_metrics").get(0);
    assertEquals(schema.families().size() - 1_000, without.getValue());
    assertTrue(series() < 60_000, series() + " series");

    schema = schema.dropKeyspace("K1", 9).after().dropKeyspace("K2", 9).after();
    assertEquals(schema.families().size(), points("colonnade_family_disk_bytes").size());
  }

  @Test
  void callsOfFamiliesBeyondTheLimitShareSeriesUntilOthersGo() throws Exception {
    CallSeries calls = new CallSeries(registry, () -> schema);
    schema = manyFamilies();
    for (int k = 0; k < KEYSPACES; k++) {
      for (int f = 0; f < FAMILIES; f++) {
        calls.ended(GET, "OK", "K" + k, "F" + f, 1_000_000);
      }
    }
    assertEquals(1L * KEYSPACES * FAMILIES, recorded(null, null));
    assertEquals(CallSeries.FAMILIES_MAX + 1, points("colonnade_rpc_duration_seconds").size());
    assertEquals(1, recorded("K0", "F0"));
    assertEquals(
        1L * KEYSPACES * FAMILIES - CallSeries.FAMILIES_MAX,
        recorded(CallSeries.OTHER, CallSeries.OTHER));

    schema = schema.dropKeyspace("K0", 9).after();
    calls.follow(schema);
    assertEquals(0, recorded("K0", "F0"));
    calls.ended(GET, "OK", "K9", "F9", 1_000_000);
    assertEquals(1, recorded("K9", "F9"), "it takes the place of one that is gone");
  }

  /** Names come from clients, who may send any. */
  @Test
  void namesOfNoFamilyMakeNoSeries() throws Exception {
    CallSeries calls = new CallSeries(registry, () -> schema);
    schema = manyFamilies();
    for (int i = 0; i < 1_000; i++) {
      calls.ended(GET, "INVALID_ARGUMENT", "No" + i, "F" + i, 1);
      calls.ended(GET, "INVALID_ARGUMENT", "K1", "No" + i, 1);
    }
    calls.ended("colonnade.admin.v1.NodeService/GetInfo", "OK", "", "", 1);
    assertEquals(2, points("colonnade_rpc_duration_seconds").size());
    assertEquals(2_000, recorded(CallSeries.OTHER, CallSeries.OTHER));
    assertEquals(1, recorded("", ""));
    double refused =
        points("colonnade_rpc_calls").stream()
            .filter(point -> "INVALID_ARGUMENT".equals(point.getLabels().get("code")))
            .mapToDouble(point -> ((CounterDataPointSnapshot) point).getValue())
            .sum();
    assertEquals(2_000, refused);
  }

  /**
   * Calls are counted on event loops. What is left is the library's: an object of its histogram.
   */
  @Test
  void aCallIsCountedWithHardlyAnyAllocation() throws Exception {
    CallSeries calls = new CallSeries(registry, () -> schema);
    schema = manyFamilies();
    ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
    int count = 20_000;
    long allocated = Long.MAX_VALUE;
    long nanos = 0;
    // Later rounds run compiled code, and the least of them is without the compiler's own work.
    for (int round = 0; round < 10; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      long from = System.nanoTime();
      for (int i = 0; i < count; i++) {
        calls.ended(GET, "OK", "K1", "F1", i);
      }
      nanos = System.nanoTime() - from;
      allocated = Math.min(allocated, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertTrue(
        allocated <= 64L * count,
        allocated + " bytes for " + count + " calls of " + nanos / count + " ns");
  }

  /** How many calls a family's series have; of all for null. */
  private long recorded(@Nullable String keyspace, @Nullable String family) {
    return points("colonnade_rpc_duration_seconds").stream()
        .filter(
            point ->
                keyspace == null
                    || (keyspace.equals(point.getLabels().get("keyspace"))
                        && String.valueOf(family).equals(point.getLabels().get("family"))))
        .mapToLong(point -> ((HistogramDataPointSnapshot) point).getCount())
        .sum();
  }
}

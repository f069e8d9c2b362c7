package dev.colonnade.server.node;

import dev.colonnade.server.base.metrics.Histograms;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.service.rpc.CallMetrics;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Counts the calls of clients by method and status, and times them by method, keyspace and family.
 * The first families that are called have series of their own, up to a limit; calls of others, and
 * those that name a family that does not exist, share the series {@value #OTHER}. Calls that are
 * about no family have empty labels.
 *
 * <p>A call looks its data points up by the names that it has. A call that ends while its family is
 * dropped may be counted in a series that nobody sees any more. Thread-safe.
 */
final class CallSeries implements CallMetrics {

  /** The most families with series of their own: each has some twenty for each method. */
  static final int FAMILIES_MAX = 200;

  static final String OTHER = "other";

  /** What batches of several families of a keyspace name, as the services do. */
  private static final String SEVERAL = "several";

  private static final String METHOD = "method";

  private record FamilyName(String keyspace, String family) {}

  private final Counter calls;
  private final Histogram durations;
  private final Supplier<Schema> schema;
  private final Map<String, MethodSeries> methods = new ConcurrentHashMap<>();

  /** The families with series of their own. Guarded by this. */
  private final Set<FamilyName> shown = new HashSet<>();

  CallSeries(PrometheusRegistry registry, Supplier<Schema> schema) {
    this.schema = schema;
    this.calls =
        Counter.builder()
            .name("colonnade_rpc_calls_total")
            .help("Calls that have ended, by method and gRPC status")
            .labelNames(METHOD, "code")
            .withoutExemplars()
            .register(registry);
    this.durations =
        Histograms.ofDurations(
            "colonnade_rpc_duration_seconds",
            "Duration of a call, from its headers to its end",
            METHOD,
            "keyspace",
            "family");
    registry.register(durations);
  }

  @Override
  public void ended(String method, String statusCode, String keyspace, String family, long nanos) {
    MethodSeries series = methods.get(method);
    if (series == null) {
      series = methods.computeIfAbsent(method, MethodSeries::new);
    }
    series.count(statusCode).inc();
    series.duration(keyspace, family).observe(Histograms.seconds(nanos));
  }

  /** What was recorded so far, by method, keyspace and family. */
  List<HistogramDataPointSnapshot> points() {
    return durations.collect().getDataPoints();
  }

  /** Drops the series of families that are gone. One thread at a time. */
  synchronized void follow(Schema now) {
    boolean changed =
        shown.removeIf(
            known -> {
              boolean gone = !exists(now, known);
              if (gone) {
                methods.values().forEach(method -> method.remove(known));
              }
              return gone;
            });
    if (changed) {
      // Families without a place may have one now.
      methods.values().forEach(MethodSeries::forget);
    }
  }

  private static boolean exists(Schema schema, FamilyName name) {
    return schema
        .keyspace(name.keyspace())
        .filter(
            keyspace -> name.family().equals(SEVERAL) || keyspace.family(name.family()).isPresent())
        .isPresent();
  }

  /** Whether a family may have series of its own; from then on it has. */
  private synchronized boolean takesPlace(FamilyName name) {
    return shown.contains(name) || (shown.size() < FAMILIES_MAX && shown.add(name));
  }

  /** The series of one method. */
  private final class MethodSeries {
    private final String method;
    private final Map<String, CounterDataPoint> byStatus = new ConcurrentHashMap<>();
    private final Map<String, Map<String, DistributionDataPoint>> byKeyspace =
        new ConcurrentHashMap<>();

    MethodSeries(String method) {
      this.method = method;
    }

    CounterDataPoint count(String statusCode) {
      CounterDataPoint known = byStatus.get(statusCode);
      return known != null
          ? known
          : byStatus.computeIfAbsent(statusCode, code -> calls.labelValues(method, code));
    }

    DistributionDataPoint duration(String keyspace, String family) {
      if (keyspace.isEmpty()) {
        return durations.labelValues(method, "", "");
      }
      Map<String, DistributionDataPoint> families = byKeyspace.get(keyspace);
      DistributionDataPoint known = families == null ? null : families.get(family);
      return known != null ? known : place(new FamilyName(keyspace, family));
    }

    private DistributionDataPoint place(FamilyName name) {
      if (!exists(schema.get(), name)) {
        return durations.labelValues(method, OTHER, OTHER);
      }
      DistributionDataPoint point =
          takesPlace(name)
              ? durations.labelValues(method, name.keyspace(), name.family())
              : durations.labelValues(method, OTHER, OTHER);
      byKeyspace
          .computeIfAbsent(name.keyspace(), unused -> new ConcurrentHashMap<>())
          .put(name.family(), point);
      return point;
    }

    void remove(FamilyName name) {
      durations.remove(method, name.keyspace(), name.family());
    }

    void forget() {
      byKeyspace.clear();
    }
  }
}

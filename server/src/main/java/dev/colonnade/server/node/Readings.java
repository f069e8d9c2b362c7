package dev.colonnade.server.node;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/**
 * Registers figures that exist already, and are read only when somebody asks for the metrics. What
 * reads them must be quick and thread-safe. Names of counters are given without {@code _total},
 * which the library adds.
 */
record Readings(PrometheusRegistry registry) {

  /** Takes the series of a metric, one call for each. */
  interface Points {

    /** Adds a series; its labels are in the order of their names. */
    void add(double value, String... labels);

    /** The same of a count; one beyond 2^53 loses its last digits, as it does in Prometheus. */
    default void add(long value, String... labels) {
      add((double) value, labels);
    }
  }

  /** A figure that goes up and down. */
  void gauge(String name, String help, DoubleSupplier now) {
    gauges(name, help, points -> points.add(now.getAsDouble()));
  }

  /** A figure with labels that goes up and down. */
  void gauges(String name, String help, Consumer<Points> now, String... labels) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .labelNames(labels)
        .callback(callback -> now.accept(callback::call))
        .register(registry);
  }

  /** A figure that only grows. */
  void counter(String name, String help, DoubleSupplier total) {
    counters(name, help, points -> points.add(total.getAsDouble()));
  }

  /** A figure with labels that only grows. */
  void counters(String name, String help, Consumer<Points> totals, String... labels) {
    CounterWithCallback.builder()
        .name(name)
        .help(help)
        .labelNames(labels)
        .callback(callback -> totals.accept(callback::call))
        .register(registry);
  }
}

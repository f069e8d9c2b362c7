/**
 * Counters, gauges and latencies to which the rest of the node reports its figures, and the named
 * set that holds them.
 *
 * <p>Recording is one call, takes no lock and allocates nothing, so it may stand on the hottest
 * path. A component requests its metrics from the {@link
 * dev.colonnade.server.base.metrics.MetricSet} once, when it is built, and keeps them.
 *
 * <p>Everything is thread-safe. Not allowed here: exporters, clocks (the caller measures), and
 * anything whose number grows with keys or requests.
 */
@NullMarked
package dev.colonnade.server.base.metrics;

import org.jspecify.annotations.NullMarked;

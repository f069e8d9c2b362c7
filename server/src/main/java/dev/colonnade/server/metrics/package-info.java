/**
 * Counters, gauges and latencies that the rest of the node hands its figures to, and the named set
 * in which they are found again.
 *
 * <p>Recording is one call, takes no lock and allocates nothing, so that it may stand on the
 * hottest path. A component asks the {@link dev.colonnade.server.metrics.MetricSet} for its metrics
 * once, when it is built, and keeps them.
 *
 * <p>Everything is thread-safe. What may not enter: exporters, clocks (the caller measures), and
 * anything whose number grows with keys or requests.
 */
@NullMarked
package dev.colonnade.server.metrics;

import org.jspecify.annotations.NullMarked;

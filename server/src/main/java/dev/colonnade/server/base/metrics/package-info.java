/**
 * What histograms of all packages have in common. The metrics themselves are those of the
 * Prometheus client library ({@code io.prometheus.metrics}): a part that measures something keeps
 * the library's data point, and {@code node} registers it by its name.
 *
 * <p>Recording takes no lock and allocates at most one small object, so it may stand on the hottest
 * path: a data point with its labels is looked up once and kept. Figures that exist already, such
 * as the length of a queue, are only read when somebody asks for the metrics.
 *
 * <p>Not allowed here: clocks (the caller measures), and anything whose number grows with keys or
 * requests.
 */
@NullMarked
package dev.colonnade.server.base.metrics;

import org.jspecify.annotations.NullMarked;

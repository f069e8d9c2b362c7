/**
 * What benchmarks are made of: load on a channel, either as much as it takes or at a fixed rate;
 * what was measured; and the scenarios of the benchmark of a cluster. Knows processes by their
 * numbers only, and starts none.
 */
@NullMarked
package dev.colonnade.cli.local.bench;

import org.jspecify.annotations.NullMarked;

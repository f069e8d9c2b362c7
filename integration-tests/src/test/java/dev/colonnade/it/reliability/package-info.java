/**
 * Runs the suites of the storage engine by seed and count, plants bugs to see whether they notice,
 * and writes the results to {@code docs/reliability.md}. The suites themselves live with what they
 * test.
 */
@NullMarked
package dev.colonnade.it.reliability;

import org.jspecify.annotations.NullMarked;

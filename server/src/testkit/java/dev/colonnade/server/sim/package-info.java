/**
 * The simulated world: every seam in memory, driven from a seed, and the contract suites that both
 * the simulated and the real implementation of a seam must pass. Published with the test-jar, so
 * that other modules can drive it.
 *
 * <p>Nothing here uses the clock, threads or files of the machine.
 */
@NullMarked
package dev.colonnade.server.sim;

import org.jspecify.annotations.NullMarked;

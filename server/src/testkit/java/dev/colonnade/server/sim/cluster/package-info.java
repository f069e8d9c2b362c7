/**
 * Whole clusters under load and under faults, in a simulated world: what clients do, what goes
 * wrong, and what must hold all the same. One seed is one run, and the same seed the same run.
 */
@NullMarked
package dev.colonnade.server.sim.cluster;

import org.jspecify.annotations.NullMarked;

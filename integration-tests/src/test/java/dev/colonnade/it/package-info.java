/**
 * Whole nodes over real sockets and disks: few tests, only for faults of the wiring. Classes ending
 * in {@code IT} run after packaging and may start the executable jar.
 */
@NullMarked
package dev.colonnade.it;

import org.jspecify.annotations.NullMarked;

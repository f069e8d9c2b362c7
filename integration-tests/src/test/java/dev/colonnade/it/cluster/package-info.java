/** Clusters of real processes over real sockets: few tests, for faults of the wiring. */
@NullMarked
package dev.colonnade.it.cluster;

import org.jspecify.annotations.NullMarked;

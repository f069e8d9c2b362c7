/** Clusters of real processes over real sockets: few tests, for what wiring can break. */
@NullMarked
package dev.colonnade.it.cluster;

import org.jspecify.annotations.NullMarked;

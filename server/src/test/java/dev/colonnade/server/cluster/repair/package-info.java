/** Replicas whose rows are compared by their hashes. */
@NullMarked
package dev.colonnade.server.cluster.repair;

import org.jspecify.annotations.NullMarked;

/** Replicas whose rows are compared by their hashes. */
@NullMarked
package dev.colonnade.server.repair;

import org.jspecify.annotations.NullMarked;

/**
 * Coordinates writes: each row's changes go to all its replicas, and are acknowledged when as many
 * as the level requires have them. A replica that misses a write gets it as a hint.
 */
@NullMarked
package dev.colonnade.server.service.write;

import org.jspecify.annotations.NullMarked;

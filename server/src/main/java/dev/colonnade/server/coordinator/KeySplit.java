package dev.colonnade.server.coordinator;

import dev.colonnade.server.ring.TokenRange;

/**
 * A part of the ring and about how much of a family is in it, as far as this node has it.
 *
 * @param keys rows; those that stand in several files count several times
 * @param bytes that they take in data files
 */
public record KeySplit(TokenRange range, long keys, long bytes) {}

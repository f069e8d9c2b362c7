package dev.colonnade.server.engine;

import dev.colonnade.server.model.RowKey;

/**
 * A row key of a family, and about how much of the family lies before it: at or before this key,
 * and behind that of the sample before.
 *
 * @param keys rows; those that stand in several files count several times
 * @param bytes that they take in data files; 0 for rows in memory
 */
public record KeySample(RowKey key, double keys, double bytes) {}

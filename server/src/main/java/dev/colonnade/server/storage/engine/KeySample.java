package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.RowKey;

/**
 * A row key of a family, with about how much of the family lies after the previous sample, up to
 * and including this key.
 *
 * @param keys rows; a row in several files counts several times
 * @param bytes that they take in data files; 0 for rows in memory
 */
public record KeySample(RowKey key, double keys, double bytes) {}

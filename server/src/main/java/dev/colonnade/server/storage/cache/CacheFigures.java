package dev.colonnade.server.storage.cache;

/**
 * The figures of a cache.
 *
 * @param hits lookups answered, since start
 * @param misses lookups not answered, since start
 * @param evictions entries evicted, since start
 * @param entries held now
 * @param weight held now, in bytes (in entries for the key cache)
 * @param capacity the most it may hold, in the same unit
 */
public record CacheFigures(
    long hits, long misses, long evictions, long entries, long weight, long capacity) {}

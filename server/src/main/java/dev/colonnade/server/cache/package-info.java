/**
 * Bounded caches of the read path: blocks of data files, positions of row keys, and whole rows.
 *
 * <p>All are thread-safe, never block on I/O, and hold no more than they were told to. They count
 * their hits and misses, so that their worth can be judged. Upkeep runs on the calling thread: no
 * cache has a thread of its own.
 *
 * <p>A {@link dev.colonnade.server.cache.BlockCache} and a {@link
 * dev.colonnade.server.cache.KeyCache} hold what can never change, since data files are immutable;
 * entries of a file that is gone age out. A {@link dev.colonnade.server.cache.RowCache} holds
 * merged rows, which do change: see its loading protocol.
 *
 * <p>What may not enter: knowledge of what a block or a row consists of.
 */
@NullMarked
package dev.colonnade.server.cache;

import org.jspecify.annotations.NullMarked;

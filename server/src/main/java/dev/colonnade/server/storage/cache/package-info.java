/**
 * Bounded caches of the read path: blocks of data files, positions of row keys, and whole rows.
 *
 * <p>All are thread-safe, never block on I/O, and stay within their capacity. They count their hits
 * and misses, so that their worth can be judged. Maintenance runs on the calling thread: no cache
 * has a thread of its own.
 *
 * <p>A {@link dev.colonnade.server.storage.cache.BlockCache} and a {@link
 * dev.colonnade.server.storage.cache.KeyCache} hold what can never change, since data files are
 * immutable; entries of a deleted file age out. A {@link
 * dev.colonnade.server.storage.cache.RowCache} holds merged rows, which do change: see its loading
 * protocol.
 *
 * <p>Not allowed here: knowledge of what a block or a row consists of.
 */
@NullMarked
package dev.colonnade.server.storage.cache;

import org.jspecify.annotations.NullMarked;

package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.KeyIndexes;
import dev.colonnade.server.storage.cache.BlockCache;
import dev.colonnade.server.storage.cache.KeyCache;
import java.util.function.Consumer;

/**
 * What the data files of a node share.
 *
 * @param files where they are
 * @param keyIndexes makes and opens their key indexes, in the same place
 * @param blocks cached blocks of all files
 * @param keys cached positions of rows in all files
 * @param filters bounds the heap of the Bloom filters of all open files
 * @param settings for files written from now on, rebuilt components included
 * @param closing runs the closing and deleting of unused files, which may block; the last reference
 *     may be released by a thread that must not block. If it drops a task, the next start deletes
 *     the files
 */
public record SSTableResources(
    FileSystem files,
    KeyIndexes keyIndexes,
    BlockCache blocks,
    KeyCache keys,
    FilterMemory filters,
    SSTableSettings settings,
    Consumer<Runnable> closing) {}

/**
 * Recent writes of one column family, sorted, in memory.
 *
 * <p>One writer at a time and any number of readers, without a lock: rows stand in a concurrent
 * sorted map, and each row is a persistent {@link dev.colonnade.server.base.model.RowState} that a
 * write replaces. A reader that took a state has a snapshot of the row for as long as it likes.
 *
 * <p>Not allowed here: the commit log, files, the decision when to flush. After Bigtable, section
 * 5.3.
 */
@NullMarked
package dev.colonnade.server.storage.memtable;

import org.jspecify.annotations.NullMarked;
